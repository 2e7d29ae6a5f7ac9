"""Equality of answer values."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from kohaku_lib.text.decimal_commas import with_decimal_points
from kohaku_lib.text.equal_signs import with_equal_signs
from kohaku_lib.text.units import conversion_factor
from kohaku_lib.values.parsing import Value, parse_value

_TOLERANCE = 1e-3
_ARTICLE = re.compile(r"^(?:the|an?)\s+")
_LOSS = re.compile(r"\s*\((?P<amount>[^()\d-]{0,4}\d[\d.,'’]*)\)\s*(?P<unit>[^\d()]*)$")
_DECIMAL_COMMA = re.compile(r"[^\d\[(]*(?:\d{1,3}(?:\.\d{3})+,\d{1,2}|\d+,\d\d|\d\d+,\d)(?![\d.,])[^\d]*$")
_PARENTHETICAL = re.compile(r"\s*\([^()]{1,15}\)$")


def values_equal(first: str, second: str) -> bool:
    """Return whether two values agree: numbers and bounds within 0.1 % of the larger, text by `voting_key`.

    Zero equals zero only. Units count, and are converted, only where both values name one. Blanks equal blanks.

    A decimal comma is one where no thousands are written so, a bracket a minus sign where the other value is negative.

    >>> values_equal("13,900", "13900"), values_equal("80-90", "[80, 90]"), values_equal("True", "1")
    (True, True, True)
    >>> values_equal("100", "100.2"), values_equal("1 kWh", "1 L"), values_equal("0", "0.0005")
    (False, False, False)
    >>> values_equal("16,50", "16.5"), values_equal("(7,300)", "-£7,300"), values_equal("(7,300)", "7300")
    (True, True, False)
    """
    one, other = parse_value(first), parse_value(second)
    if _are_equal(one, other):
        return True
    return any(
        _are_equal(*pair) for pair in ((_otherwise(first, one, other), other), (one, _otherwise(second, other, one)))
    )


def voting_key(value: str) -> str:
    """Return a canonical text of `value` that ignores case, spacing, articles, quotes and a short trailing bracket.

    A value of which that leaves nothing is its own key.

    >>> voting_key("The  ML.ENERGY Benchmark."), voting_key("water usage effectiveness (WUE)"), voting_key("5k")
    ('ml.energy benchmark', 'water usage effectiveness', '5000')
    """
    parsed = parse_value(value)
    key = _text_key(parsed.text) if parsed.kind == "text" else ""
    return key or parsed.text


def group_equal(values: Sequence[str]) -> list[list[int]]:
    """Return groups of positions whose values agree, by first appearance; a value joins the first group it equals.

    >>> group_equal(["80-90", "7", "[80,90]", "7.0"])
    [[0, 2], [1, 3]]
    """
    groups: list[list[int]] = []
    for position, value in enumerate(values):
        home = next((group for group in groups if values_equal(values[group[0]], value)), None)
        if home is None:
            groups.append([position])
        else:
            home.append(position)
    return groups


def _are_equal(first: Value, second: Value) -> bool:
    if first.kind == "text" or second.kind == "text":
        return first.kind == second.kind and _text_key(first.text) == _text_key(second.text)
    if first.low is None or second.low is None or first.high is None or second.high is None:
        return first.kind == second.kind
    factor = _unit_factor(first, second)
    if factor is None or (first.kind == "range") != (second.kind == "range"):
        return False
    return math.isclose(first.low, second.low * factor, rel_tol=_TOLERANCE) and math.isclose(
        first.high, second.high * factor, rel_tol=_TOLERANCE
    )


def _otherwise(text: str, value: Value, other: Value) -> Value:
    """Return what `text` says to someone who writes losses in brackets or decimal commas, if `other` is such a number."""
    loss = _LOSS.match(text)
    if loss is not None and other.kind == "number" and (other.low or 0) < 0:
        return parse_value(f"-{loss['amount']} {loss['unit']}".strip())
    if value.kind == "text" and _DECIMAL_COMMA.match(text):
        return parse_value(with_decimal_points(text))
    return value


def _unit_factor(first: Value, second: Value) -> float | None:
    if first.unit is None or second.unit is None:
        return 1.0
    factor = conversion_factor(second.unit, first.unit)
    return None if factor is None else float(factor)


def _text_key(text: str) -> str:
    folded = " ".join(with_equal_signs(text).casefold().split()).strip("\"'` ").rstrip(".")
    return without_bracket(_ARTICLE.sub("", folded)) or folded


def without_bracket(text: str) -> str:
    """Return `text` without a bracket of up to 15 characters at its end, such as an abbreviation.

    >>> without_bracket("water usage effectiveness (WUE)")
    'water usage effectiveness'
    """
    return _PARENTHETICAL.sub("", text)
