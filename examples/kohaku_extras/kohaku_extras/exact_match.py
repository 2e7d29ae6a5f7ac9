"""A metric that takes no other spelling of the truth."""

from __future__ import annotations

from kohaku_lib.evaluation.metrics.answers.interface import AnswerCells, AnswerMetric, AnswerParts


def score_exact(truth: AnswerCells, predicted: AnswerCells | None) -> AnswerParts | None:
    """Return 1 for each cell that is the truth to the letter; a missing answer is left out.

    >>> score_exact(AnswerCells("80", "['a']"), AnswerCells("80.0", "['a']"))
    AnswerParts(value=0.0, ref=1.0, na=None)
    """
    if predicted is None:
        return None
    return AnswerParts(float(predicted.value == truth.value), float(predicted.refs == truth.refs), None)


EXACT = AnswerMetric("exact", score_exact, "exact match")
