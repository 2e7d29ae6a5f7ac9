"""The metric of KohakuRAG's own validator: stricter on ranges, blanks and small numbers than the competition's."""

from __future__ import annotations

from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS, AnswerCells, AnswerMetric, AnswerParts
from kohaku_lib.evaluation.metrics.answers.wattbot import reference_overlap
from kohaku_lib.values import literal_list

_RELATIVE, _LEAST = 1e-3, 1e-9
_BLANKS = frozenset({"", "is_blank"})


def score_kohaku(truth: AnswerCells, predicted: AnswerCells | None) -> AnswerParts:
    """Return the scores of an answer by KohakuRAG's validator; a missing answer counts as blank, but not as abstained.

    Example:
        >>> score_kohaku(AnswerCells("is_blank", "is_blank"), None)
        AnswerParts(value=1.0, ref=1.0, na=0.0)

    """
    if predicted is None:
        return AnswerParts(float(is_blank_kohaku(truth.value)), float(not refs_kohaku(truth.refs)), 0.0)
    is_abstention = is_blank_kohaku(predicted.value) and not refs_kohaku(predicted.refs)
    is_na_right = not is_blank_kohaku(truth.value) or is_abstention
    is_right = value_right_kohaku(truth.value, predicted.value)
    return AnswerParts(float(is_right), ref_score_kohaku(truth.refs, predicted.refs), float(is_na_right))


def is_blank_kohaku(value: str) -> bool:
    """Return whether the validator treats a cell as blank.

    >>> is_blank_kohaku("is_blank"), is_blank_kohaku("n/a")
    (True, False)
    """
    return value.strip().lower() in _BLANKS


def value_right_kohaku(truth: str, predicted: str) -> bool:
    """Return whether a submitted value is correct; a blank truth requires a blank.

    Numbers: within 0.1 % of the truth, at least 1e-9, bounds included. Ranges: both bounds likewise, in order. Text:
    equal up to case and white space.

    >>> value_right_kohaku("[80,90]", "85"), value_right_kohaku("0", "0.0005"), value_right_kohaku("1000", "1001")
    (False, False, True)
    """
    if is_blank_kohaku(truth) or is_blank_kohaku(predicted):
        return is_blank_kohaku(truth) and is_blank_kohaku(predicted)
    true_numbers, numbers = _parse_numbers(truth), _parse_numbers(predicted)
    if true_numbers is not None and numbers is not None:
        same_form = len(true_numbers) == len(numbers) and _is_list(truth) == _is_list(predicted)
        return same_form and all(_is_close_kohaku(a, b) for a, b in zip(true_numbers, numbers, strict=True))
    return _fold_text(truth) == _fold_text(predicted)


def ref_score_kohaku(truth: str, predicted: str) -> float:
    """Return the Jaccard index of two reference cells; a blank cell is the empty set.

    >>> ref_score_kohaku("is_blank", ""), ref_score_kohaku("is_blank", '["is_blank"]'), ref_score_kohaku("[a,b]", "B,a")
    (1.0, 0.0, 1.0)
    """
    return reference_overlap(refs_kohaku(truth), refs_kohaku(predicted))


def refs_kohaku(cell: str) -> set[str]:
    """Return the ids of a reference cell, lower case: a literal list, or the parts between commas.

    >>> sorted(refs_kohaku("['A', 'b']")), sorted(refs_kohaku("['is_blank']")), refs_kohaku("is_blank")
    (['a', 'b'], ['is_blank'], set())
    """
    if is_blank_kohaku(cell):
        return set()
    items = literal_list(cell)
    if items is None:
        items = cell.strip().removeprefix("[").removesuffix("]").split(",")
    return {str(item).strip().strip("'\"").lower() for item in items} - {""}


def _parse_numbers(value: str) -> list[float] | None:
    """Return the number of a scalar or the numbers of a list; None for text."""
    items = literal_list(value) if _is_list(value) else [value]
    try:
        return [float(str(item)) for item in items or []] or None
    except (TypeError, ValueError):
        return None


def _is_list(value: str) -> bool:
    return value.strip().startswith("[")


def _is_close_kohaku(truth: float, number: float) -> bool:
    return abs(number - truth) <= max(_RELATIVE * abs(truth), _LEAST)


def _fold_text(text: str) -> str:
    return " ".join(text.lower().split())


ANSWER_METRICS.register(AnswerMetric("kohaku", score_kohaku, "kohaku (validator)", order=2))
