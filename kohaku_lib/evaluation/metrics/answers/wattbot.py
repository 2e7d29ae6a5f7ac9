"""The metric of the WattBot competition, after its first committed scorer."""

from __future__ import annotations

import json
import math

from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS, AnswerCells, AnswerMetric, AnswerParts

_TOLERANCE = 1e-3
_BLANKS = frozenset({"", "na", "n/a", "is_blank"})


def score_official(truth: AnswerCells, predicted: AnswerCells | None) -> AnswerParts | None:
    """Return the scores of an answer by the competition's metric; None for a missing answer.

    Example:
        >>> score_official(AnswerCells("80", "['a']"), AnswerCells("80.0", "['a','b']"))
        AnswerParts(value=1.0, ref=0.5, na=1.0)

    """
    if predicted is None:
        return None
    is_na_right = not is_blank_official(truth.value) or is_blank_official(predicted.value)
    is_right = value_right_official(truth.value, predicted.value)
    return AnswerParts(float(is_right), ref_score_official(truth.refs, predicted.refs), float(is_na_right))


def is_blank_official(value: str) -> bool:
    """Return whether the official metric treats `value` as blank.

    >>> is_blank_official(" N/A "), is_blank_official("null")
    (True, False)
    """
    return value.strip().lower() in _BLANKS


def value_right_official(truth: str, predicted: str) -> bool:
    """Return whether a submitted value is correct; with a blank truth any value is.

    Numbers: within 0.1 % of the larger or 0.001. Lists and sets: any order; a number inside a range is correct too.
    Text: equal up to case and outer white space.

    >>> value_right_official("[80,90]", "85"), value_right_official("0", "0.0005"), value_right_official("80", "[80]")
    (True, True, False)
    """
    if is_blank_official(truth):
        return True
    true_elements = _list_elements(truth)
    if true_elements is not None:
        return _is_list_right(true_elements, predicted)
    true_number, number = _parse_number(truth), _parse_number(predicted)
    if true_number is not None and number is not None:
        return _is_close_official(true_number, number)
    return truth.strip().lower() == predicted.strip().lower()


def ref_score_official(truth: str, predicted: str) -> float:
    """Return the Jaccard index of two reference cells; is_blank is an id like any other.

    >>> ref_score_official("['a','b']", '["b"]'), ref_score_official("is_blank", '["is_blank"]')
    (0.5, 1.0)
    """
    return reference_overlap(_ref_set(truth), _ref_set(predicted))


def reference_overlap(first: set[str], second: set[str]) -> float:
    """Return the Jaccard index of two sets of references; 1.0 if both are empty, as both then cite nothing.

    >>> reference_overlap({"a"}, {"a", "b"}), reference_overlap(set(), set())
    (0.5, 1.0)
    """
    union = first | second
    return len(first & second) / len(union) if union else 1.0


def _is_list_right(true_elements: list[str], predicted: str) -> bool:
    bounds = [_parse_number(item) for item in true_elements]
    elements, single = _list_elements(predicted), _parse_number(predicted)
    if elements is not None:
        return _are_elements_equal(true_elements, elements)
    if len(bounds) != 2 or single is None or bounds[0] is None or bounds[1] is None:
        return False
    return min(bounds[0], bounds[1]) - _TOLERANCE <= single <= max(bounds[0], bounds[1]) + _TOLERANCE


def _are_elements_equal(true_elements: list[str], elements: list[str]) -> bool:
    true_numbers, numbers = [_parse_number(item) for item in true_elements], [_parse_number(item) for item in elements]
    if len(true_numbers) != len(numbers):
        return False
    if None in true_numbers or None in numbers:
        return sorted(true_elements) == sorted(elements)
    pairs = zip(
        sorted(n for n in true_numbers if n is not None), sorted(n for n in numbers if n is not None), strict=True
    )
    return all(_is_close_official(a, b) for a, b in pairs)


def _list_elements(value: str) -> list[str] | None:
    """Return the elements of `[a,b]` or `{a,b}`, None for anything else."""
    text = value.strip()
    if len(text) < 2 or text[0] + text[-1] not in {"[]", "{}"}:
        return None
    return [item.strip().strip("'\"").strip().lower() for item in text[1:-1].split(",") if item.strip()]


def _ref_set(cell: str) -> set[str]:
    text = cell.strip()
    try:
        value = json.loads(text.replace("'", '"'))
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list):
        return {str(item).strip().lower() for item in value}
    return {text.lower()} if text else set()


def _parse_number(value: str) -> float | None:
    try:
        return float(value.strip())
    except ValueError:
        return None


def _is_close_official(truth: float, number: float) -> bool:
    return math.isclose(truth, number, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)


ANSWER_METRICS.register(AnswerMetric("wattbot", score_official, "wattbot (official)", order=1))
