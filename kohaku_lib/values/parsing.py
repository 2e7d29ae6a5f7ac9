"""Parsing of free text into a number, a range, a boolean, a text or a blank."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Literal

from kohaku_lib.text.equal_signs import with_equal_signs
from kohaku_lib.text.units import conversion_factor, is_unit, unit_name
from kohaku_lib.values.blanks import BLANK, is_blank

_UNSIGNED = r"(?:\d{1,3}(?:(?:,\d{3})+|(?:['’]\d{3})+)|\d+)?(?:\.\d+|(?<=\d))(?:[eE][+-]?\d{1,3})?(?:\s?[x×]\s?10\^[+-]?\d{1,3})?"
_SIGNED = rf"[+-]?{_UNSIGNED}"
_CURRENCY = r"[$€£¥]\s?|(?:US\$|USD|EUR|GBP)\s?"
_HEDGE = re.compile(
    r"^(?:(?:more|less|greater|fewer|higher|lower) than|at least|at most|about|around|approximately|approx\.?"
    r"|roughly|nearly|almost|over|under|up to|circa|ca\.|some|[~≈><≥≤]=?)\s*(?=[\d.+$€£¥-])",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    rf"^(?P<sign>-(?={_CURRENCY}\d))?(?P<money>{_CURRENCY})?(?P<number>{_SIGNED})(?P<rest>.*)$", re.DOTALL
)
_LETTER = re.compile(r"^(?P<letter>[kKMBT])(?![A-Za-z])")
_WORD = re.compile(r"^\s*(?P<word>thousand|million|billion|trillion)s?\b", re.IGNORECASE)
_BRACKETED = re.compile(rf"^[\[(]\s*({_SIGNED})\s*[,;]\s*({_SIGNED})\s*[\])]$")
_HYPHENATED = re.compile(
    rf"^(?P<money>{_CURRENCY})?(?P<low>{_UNSIGNED})(?P<low_unit>[^\d\-]*?)\s?-\s?(?:{_CURRENCY})?(?P<high>{_UNSIGNED}.*)$"
)
_SPELLED = (
    re.compile(r"^(?:from\s)?(?P<low>\S.*?)\sto\s(?P<high>\S.*)$", re.IGNORECASE),
    re.compile(r"^between\s(?P<low>\S.*?)\sand\s(?P<high>\S.*)$", re.IGNORECASE),
)
_DECADE = re.compile(r"^\d{3}0s$")
_MAX_CHARS = 200  # characters; a longer text is prose
_BOOLEANS = {"true": 1, "yes": 1, "false": 0, "no": 0}
_POWERS = {"k": 3, "thousand": 3, "m": 6, "million": 6, "b": 9, "billion": 9, "t": 12, "trillion": 12}
_DASHES = str.maketrans({"–": "-", "—": "-", "−": "-", "\u00a0": " "})


@dataclass(frozen=True, slots=True)
class Value:
    """An answer value; `low` and `high` are its bounds, equal for numbers and booleans, None for text and blanks.

    `text` is its canonical form: plain digits, `[low,high]`, 1 or 0, is_blank, or the trimmed text itself.
    `unit` is the canonical name of the unit after the number, None if there is none.
    """

    kind: Literal["blank", "boolean", "number", "range", "text"]
    text: str
    low: float | None = None
    high: float | None = None
    unit: str | None = None


@lru_cache(maxsize=65536)
def parse_value(text: str) -> Value:
    """Parse an answer value with thousands commas, one hedge, K/M/B/T, scale words, currency and units.

    A hyphen denotes a range only between two unsigned numbers, the lower first, that are the whole text; negative
    numbers, dates and names are not split. The upper bound is converted to the unit of the lower one; a range of
    incompatible units is a text.

    >>> [parse_value(text).text for text in ("about 5,439 kWh", "$2.51M", "80–90%", "1'234.50", "-£7,300")]
    ['5439', '2510000', '[80,90]', '1234.5', '-7300']
    >>> [parse_value(text).kind for text in ("-5", "GPT-3", "2020-01-15", "-5 to 3", "Yes", "n/a")]
    ['number', 'text', 'text', 'range', 'boolean', 'blank']
    """
    if is_blank(text):
        return Value("blank", BLANK)
    trimmed = " ".join(with_equal_signs(text).translate(_DASHES).split())
    truth = _BOOLEANS.get(trimmed.rstrip(".").lower())
    if truth is not None:
        return Value("boolean", str(truth), float(truth), float(truth))
    if len(trimmed) > _MAX_CHARS or _DECADE.match(trimmed):
        return Value("text", text.strip())
    bare = _HEDGE.sub("", trimmed)
    return _parse_number(bare) or _parse_range(bare) or Value("text", text.strip())


def _parse_number(text: str) -> Value | None:
    quantity = _parse_quantity(text)
    if quantity is None:
        return None
    number, _, unit = quantity
    return Value("number", plain_text(number), float(number), float(number), unit)


def _parse_range(text: str) -> Value | None:
    bracketed = _BRACKETED.match(text)
    if bracketed:
        low, high = _to_decimal(bracketed[1]), _to_decimal(bracketed[2])
        return None if low is None or high is None else _range_value(low, high)
    hyphenated = _HYPHENATED.match(text)
    if hyphenated:
        return _parse_bounds(
            f"{hyphenated['money'] or ''}{hyphenated['low']}{hyphenated['low_unit']}", hyphenated["high"]
        )
    spelled = _SPELLED[0].match(text) or _SPELLED[1].match(text)
    return _parse_bounds(spelled["low"], spelled["high"]) if spelled else None


def _parse_bounds(low_text: str, high_text: str) -> Value | None:
    """Return the range of two bounds; scale and unit may follow only the upper one."""
    low, high = _parse_quantity(low_text), _parse_quantity(_HEDGE.sub("", high_text))
    if low is None or high is None:
        return None
    factor = conversion_factor(high[2], low[2]) if low[2] and high[2] else Decimal(1)
    if factor is None:
        return None
    power = high[1] if low[1] == 0 and low[0] < high[0].scaleb(-high[1]) else 0
    lower, upper = low[0].scaleb(power), high[0] * factor
    return _range_value(lower, upper, low[2] or high[2]) if lower < upper else None


def _range_value(low: Decimal, high: Decimal, unit: str | None = None) -> Value:
    low, high = min(low, high), max(low, high)
    return Value("range", f"[{plain_text(low)},{plain_text(high)}]", float(low), float(high), unit)


def _parse_quantity(text: str) -> tuple[Decimal, int, str | None] | None:
    """Return the scaled number, the power of ten of its scale letter or word, and the unit."""
    match = _QUANTITY.match(text)
    number = _to_decimal(match["number"]) if match else None
    if match is None or number is None:
        return None
    rest = match["rest"]
    scale = _LETTER.match(rest) or _WORD.match(rest)
    power = _POWERS[scale[1].lower()] if scale else 0
    unit = (rest[scale.end() :] if scale else rest).strip(" .")
    if unit and not is_unit(unit):
        return None
    return (
        (-number if match["sign"] else number).scaleb(power),
        power,
        unit_name(unit or (match["money"] or "").strip()) or None,
    )


def _to_decimal(text: str) -> Decimal | None:
    mantissa, _, power = re.sub(r"\s?[x×]\s?10\^", "@", re.sub("[,'’]", "", text)).partition("@")
    try:
        number = Decimal(mantissa).scaleb(int(power or 0))
    except InvalidOperation:
        return None
    return number if abs(number.adjusted()) < 300 else None


def plain_text(number: Decimal) -> str:
    """Return the shortest plain digits of `number`; beyond 30 places the exponent is kept.

    >>> plain_text(Decimal("80.0")), plain_text(Decimal("5.439e6"))
    ('80', '5439000')
    """
    if abs(number.adjusted()) > 30:
        return str(number.normalize())
    digits = format(number, "f")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if digits in {"-0", ""} else digits
