"""The metric of the competition's later fork: values are normalised first, and NA counts the unanswerable questions."""

from __future__ import annotations

import re

from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS, AnswerCells, AnswerMetric, AnswerParts
from kohaku_lib.evaluation.metrics.answers.wattbot import is_blank_official, ref_score_official, value_right_official

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


def is_blank_fork(value: str) -> bool:
    """Return whether the fork's metric treats `value` as blank: the official tokens and its refusal sentence.

    >>> is_blank_fork("Unable to answer with confidence based on the provided documents.")
    True
    """
    return is_blank_official(value) or value.strip().lower().startswith(_REFUSAL)


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


ANSWER_METRICS.register(AnswerMetric("fork", score_fork, "fork", order=3))
