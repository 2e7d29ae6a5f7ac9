"""Numbers in digits as they are written: minus signs, separators of thousands, decimal commas, powers of ten, currencies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kohaku_lib.answering.extractive.table_lines import has_bars, is_row
from kohaku_lib.text.dates import MONTHS
from kohaku_lib.text.units import CURRENCY_SIGNS, is_unit


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number in digits: its value, its span with sign, bracket and currency, and the currency before it ("" if none)."""

    value: float
    start: int
    end: int
    currency: str


def numbers_in(text: str, *, decimal_commas: bool = False) -> Iterator[WrittenNumber]:
    """Yield the numbers in the digits of `text`, in order.

    A bracketed number is negative alone in its cell or text, or behind a word such as "was"; elsewhere it may be a remark.
    Blanks separate thousands in prose, never in a row of amounts. With `decimal_commas`, points separate thousands; without
    them "16,50" is 16.5 all the same, as no thousands are written so.

    >>> [one.value for one in numbers_in("−18 °C, then -£2,500, CHF 1'234.50, or 12 500 EUR.")]
    [-18.0, -2500.0, 1234.5, 12500.0]
    >>> [one.value for text in ("16,50", "3 × 10^5", "1.2e6", "10⁶") for one in numbers_in(text)]
    [16.5, 300000.0, 1200000.0, 1000000.0]
    >>> [one.value for text in ("| Result | (4,200) | 310 |", "It has (40) beds.") for one in numbers_in(text)]
    [-4200.0, 310.0, 40.0]
    >>> [one.value for one in numbers_in("1.234,5 und 4.200", decimal_commas=True)]
    [1234.5, 4200.0]
    """
    pattern = _WITH_COMMAS if decimal_commas else _WITH_POINTS
    match = pattern.search(text)
    while match is not None:
        number = _number(text, match, decimal_commas=decimal_commas)
        yield number
        match = pattern.search(text, number.end)


_SPACE = "[\u00a0\u2009\u202f]"  # no-break, thin, and narrow no-break space
_MONEY = rf"(?:{'|'.join(map(re.escape, sorted(CURRENCY_SIGNS, key=len, reverse=True)))})"
_SIGN = "[−–-]"
_OPENS = (
    r"(?:(?<![\w.,])|(?<=[a-z])(?=[$€£])|(?:(?<=\bby)|(?<=\bof)|(?<=\bto)|(?<=\bis)|(?<=\bat)|(?<=\bthan)|(?<=\bonly)|"
    r"(?<=\babout)|(?<=\bover)|(?<=\bfrom)|(?<=\band)|(?<=\bwith))(?=\d))"
    rf"(?P<sign>(?<![)\]%°€$£±])(?<!\d ){_SIGN}(?=\s?{_MONEY}\s?[\d.]|\.?\d))?"
    rf"(?:(?P<cur>{_MONEY})\s?(?P<inner>{_SIGN}(?=\d))?(?=\.?\d))?"
)
_GROUPED = rf"\d{{1,3}}(?:['’]\d{{3}})+(?:[.,]\d+)?(?!\d)|[1-9]\d{{0,2}}(?:{_SPACE}\d{{3}})+(?:[.,]\d+)?(?!\d)"
_WITH_POINTS = re.compile(
    rf"{_OPENS}(?P<digits>{_GROUPED}|\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+,\d\d(?![\w,]|\s?\])|\d+,\d(?=\)?\s?[|€%°]|$)|\d+(?:\.\d+)?|\.\d+)"
)
_WITH_COMMAS = re.compile(
    rf"{_OPENS}(?P<digits>{_GROUPED}|\d{{1,3}}(?:\.\d{{3}})+(?:,\d+)?(?![.,]?\d)|\d+,\d+(?![.,]?\d)|\d+(?:\.\d+)?|\.\d+)"
)
_FIRST_GROUP = re.compile(r"[1-9]\d{0,2}")
_MORE_GROUPS = re.compile(r"(?: \d{3})+(?:[.,]\d{1,2})?(?![\w'’]|[.,]\d| \d)")
_NO_AMOUNT = re.compile(
    rf"(?:\d[,;]?|\b(?:table|figure|fig\.|section|room|page|step|no\.|chapter|line|part|raum|seite|nr\.|tabelle"
    rf"|{'|'.join(MONTHS)}|[A-Z]))\s$",
    re.IGNORECASE,
)
_PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
_RAISED = r"[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}"
_TIMES_TEN = re.compile(
    rf"\s?[×x·]\s?10(?:\s?\^?\s?(\d{{1,2}})(?!\d)|\^([-−+]\d{{1,2}})|({_RAISED}))|[eE]([+-]?\d{{1,2}})(?!\w)"
)
_TEN, _OF_TEN = 10, re.compile(rf"\^([-−]?\d{{1,2}})(?!\d)|({_RAISED})")
_CLOSE = re.compile(rf"\s?(?:%|{_MONEY})?\s?\)")
_CELL_END = re.compile(r"\s*([^\s\d|()]{1,8})?\s*(?:\||$)")
_TOLD = re.compile(r"(?:\b(?:was|were|is|of|to|at|total+ed|war|ist|betrug|beträgt|von|auf)|:)\s+$", re.IGNORECASE)
_MONEY_BEFORE = re.compile(rf"(?<!\w){_MONEY}\s?$")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_TOLD = 100  # a smaller bare number in brackets is a remark or numbers something


def _number(text: str, match: re.Match[str], *, decimal_commas: bool) -> WrittenNumber:
    start, end = match.span()
    if match["digits"] and _FIRST_GROUP.fullmatch(match["digits"]):
        groups = _MORE_GROUPS.match(text, end)
        end = groups.end() if groups and _are_thousands(text, match, groups.end()) else end
    value = _value(text[match.start("digits") : end], decimal_commas=decimal_commas)
    power = _TIMES_TEN.match(text, end) or (_OF_TEN.match(text, end) if value == _TEN else None)
    if power is not None:
        times = float(f"1e{next(filter(None, power.groups())).translate(_PLAIN)}")
        value, end = times if power.re is _OF_TEN else value * times, power.end()
    currency = match["cur"] or ""
    negative = bool(match["sign"] or match["inner"])
    loss = None if negative else _loss_in_brackets(text, start, end, value)
    if loss is not None:
        start, end = loss
        currency = currency or text[start:end].partition("(")[0].strip()
    return WrittenNumber(-value if negative or loss else value, start, end, currency)


def _are_thousands(text: str, match: re.Match[str], end: int) -> bool:
    """Return whether groups of three digits behind blanks are one number: alone in a cell, with a unit, or in prose."""
    before, after = text[: match.start()], text[end:]
    if _NO_AMOUNT.search(before):
        return False
    is_cell = not before.rpartition("|")[2].strip(" (−-") and _CELL_END.match(after.lstrip(")"))
    beside = after.split(maxsplit=1)[:1]
    return bool(is_cell or match["cur"] or (beside and is_unit(beside[0].strip(".,;:)"))) or not is_row(text))


def _value(digits: str, *, decimal_commas: bool) -> float:
    plain = re.sub(r"['’\s]", "", digits)
    if len(plain) < len(digits):
        return float(plain.replace(",", "."))
    if decimal_commas and ("," in plain or re.fullmatch(r"\d{1,3}(?:\.\d{3})+", plain)):
        return float(plain.replace(".", "").replace(",", "."))
    return float(plain.replace(",", "." if re.fullmatch(r"\d+,\d\d?", plain) else ""))


def _loss_in_brackets(text: str, start: int, end: int, value: float) -> tuple[int, int] | None:
    """Return the span of the bracket around a number, with a currency before it, if it says that the number is negative."""
    close = _CLOSE.match(text, end) if text[start - 1 : start] == "(" and start else None
    if close is None or _YEAR.fullmatch(text[start:end]):
        return None
    money = _MONEY_BEFORE.search(text[: start - 1])
    first = money.start() if money else start - 1
    before, after = text[:first], text[close.end() :]
    unit = _CELL_END.match(after)
    is_alone = not before.rpartition("|")[2].strip() and unit and (not unit[1] or is_unit(unit[1].strip(".")))
    has_marks = "," in text[start:end] or not text[start:end].isdigit() or "%" in close[0]
    is_told = (has_marks or money or value >= _LEAST_TOLD) and _TOLD.search(before)
    is_in_row = "," in text[start:end] and not has_bars(text) and is_row(text)
    return (first, close.end()) if is_alone or is_told or is_in_row else None
