"""The metric of the WattBot competition, after its first committed scorer, and the fork's later variant."""

from __future__ import annotations

import json
import math
import re

from kohaku_lib.kinds import AnswerCells, AnswerParts

_TOLERANCE = 1e-3
_BLANKS = frozenset({"", "na", "n/a", "is_blank"})
_REFUSAL = "unable to answer with confidence based on the provided documents"
_TRUTHS = {"true": "1", "yes": "1", "false": "0", "no": "0"}
_HEDGE = re.compile(
    r"^(?:(?:(?:more|less|greater|fewer) than|at least|at most|about|around|approximately|approx\.?|roughly|nearly"
    r"|almost|over|under|up to|circa)\s+|(?:[~≈≥≤]|[<>]=?)\s*)",
    re.IGNORECASE,
)
_COMMAS = re.compile(r"^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$")
_MAGNITUDE = re.compile(r"^([+-]?\d+(?:\.\d+)?)\s?([kmbt])$", re.IGNORECASE)
_RANGE = re.compile(r"^(\d+(?:\.\d+)?)\s*(?:-|–|—|to)\s*(\d+(?:\.\d+)?)$", re.IGNORECASE)
_POWERS = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}


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


def score_fork(truth: AnswerCells, predicted: AnswerCells | None) -> AnswerParts | None:
    """Return the scores of an answer by the fork's metric: normalised values, NA over the unanswerable questions.

    Example:
        >>> score_fork(AnswerCells("2000000000", "is_blank"), AnswerCells("2B", "is_blank"))
        AnswerParts(value=1.0, ref=1.0, na=None)

    """
    if predicted is None:
        return None
    unanswerable = is_blank_fork(truth.value)
    is_right = unanswerable or value_right_official(truth.value, normalise_fork(predicted.value))
    na = float(is_blank_fork(predicted.value)) if unanswerable else None
    return AnswerParts(float(is_right), ref_score_official(truth.refs, predicted.refs), na)


def is_blank_official(value: str) -> bool:
    """Return whether the official metric treats `value` as blank.

    >>> is_blank_official(" N/A "), is_blank_official("null")
    (True, False)
    """
    return value.strip().lower() in _BLANKS


def is_blank_fork(value: str) -> bool:
    """Return whether the fork's metric treats `value` as blank: the official tokens and its refusal sentence.

    >>> is_blank_fork("Unable to answer with confidence based on the provided documents.")
    True
    """
    return is_blank_official(value) or value.strip().lower().startswith(_REFUSAL)


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


def normalise_fork(value: str) -> str:
    """Return a submitted value as the fork's metric reads it.

    >>> [normalise_fork(value) for value in ("True", "more than 1,000", "2B", "80 – 90", "0.8-3,500", "80-90%")]
    ['1', '1000', '2000000000', '[80,90]', '0.8-3,500', '80-90%']
    """
    stripped = value.strip()
    if stripped.lower() in _TRUTHS:
        return _TRUTHS[stripped.lower()]
    bare = _HEDGE.sub("", stripped, count=1).strip()
    if _COMMAS.match(bare):
        return bare.replace(",", "")
    magnitude = _MAGNITUDE.match(bare)
    if magnitude:
        return f"{float(magnitude[1]) * _POWERS[magnitude[2].lower()]:.15g}"
    bounds = _RANGE.match(bare)
    return f"[{bounds[1]},{bounds[2]}]" if bounds else bare


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
