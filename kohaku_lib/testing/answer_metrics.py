"""The contract of metrics of answers."""

from __future__ import annotations

from itertools import product

from kohaku_lib.evaluation.metrics.answers.interface import AnswerCells, AnswerMetric

TRUTHS = (
    AnswerCells("80", "['a', 'b']"),
    AnswerCells("[80,90]", "['a']"),
    AnswerCells("Zürich", "['a']"),
    AnswerCells("is_blank", "is_blank"),
)
ANSWERS = (*TRUTHS, AnswerCells("", ""), AnswerCells("80 %", "not a list ['"), AnswerCells("more than 1,000", "['c']"))


def check_answer_metric(metric: AnswerMetric) -> None:
    """Fail where `metric` breaks the contract of metrics of answers.

    Every part is from 0 to 1, whatever the cells; an answer that is the truth has all of them; the same cells score the
    same each time.

    Example:
        >>> from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
        >>> check_answer_metric(ANSWER_METRICS.get("wattbot"))

    """
    assert metric.title, f"the metric {metric.name!r} must have a title for reports"
    for truth, answer in product(TRUTHS, (*ANSWERS, None)):
        parts = metric.score(truth, answer)
        assert metric.score(truth, answer) == parts, f"{metric.name!r} must score {answer} alike each time"
        if parts is None:
            continue
        for part in parts:
            assert part is None or 0.0 <= part <= 1.0, f"{metric.name!r} scores {answer} {parts}; parts are from 0 to 1"
        assert None not in (parts.value, parts.ref), f"{metric.name!r} must score value and references of {answer}"
        if answer == truth:
            assert parts[:2] == (1.0, 1.0), f"{metric.name!r} must score the truth {truth} 1, got {parts}"
            assert parts.na in (None, 1.0), f"{metric.name!r} must score the truth {truth} 1, got {parts}"
