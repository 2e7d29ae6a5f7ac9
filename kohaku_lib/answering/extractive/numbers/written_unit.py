"""The unit that a value is written with in its quote or above its column, for people who read the value."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.numbers.number_words import NUMBER_WORD
from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.answering.extractive.numbers.units import ABBREVIATED, parse_unit
from kohaku_lib.text.table_rows import is_rule, row_cells
from kohaku_lib.text.units import CURRENCY_SIGNS, SCALES
from kohaku_lib.values import parse_value

_BARE = re.compile(r"[−-]?[\d.,]*\d")
_MONEY = "|".join(map(re.escape, sorted(CURRENCY_SIGNS, key=len, reverse=True)))
_GROUPS = r"(?:[\d.,'’\u00a0\u2009\u202f]|\s(?=\d{3}))*"
_POWER = r"(?:\s?[×x·]\s?10\s?\^?[−-]?\d+|e[+-]?\d+|[⁰¹²³⁴-⁹⁻]+)?"
_DIGITS = rf"\d{_GROUPS}{_POWER}|{NUMBER_WORD.pattern}"
_SCALE = rf"(?:\s*(?:{'|'.join(SCALES)}){ABBREVIATED}s?(?=\s|$)|[kKMBT](?=\s\S|$))?"  # the value has it already
_WRITTEN = re.compile(
    rf"[(\s−–-]*(?P<before>{_MONEY})?[(\s−–-]*(?P<number>(?:{_DIGITS}){_SCALE})(?P<gap>[\s)]*-?)(?P<unit>[^\d\s)-].*?)?\)?(?:\sof\s.*)?",
    re.IGNORECASE,
)  # not the thing measured: 4 kWh of electricity
_CODE = re.compile(r"T?(?:EUR|USD|GBP|CHF)|[A-Z]{3}")
_UNIT_OF_HEADING = re.compile(r"\(([^()]{1,12})\)\s*$|\bin (\S{1,12})\s*$")
_PERIOD = re.compile(
    r"second|minute|hour|day|week|month|year|stunde|tag|woche|monat|jahr|[A-Z]", re.IGNORECASE
)  # a remark
_ROW = re.compile(r"(?<=[;—])\s*([^:;—]+):\s([^;]+)")  # of a row in words: "Bike — price (EUR): 40; weight: 9"


def with_written_unit(value: str, quote: str | None, passage: str = "") -> str:
    r"""Return `value` as its quote writes it, with the unit that it has there, else that which its column's heading ends in.

    `passage` is the text around the quote, where the heading of a table stands. A value that is no bare number is as it was.

    >>> with_written_unit("6", "The offer is valid for 6 weeks."), with_written_unit("1500000", "It cost $1.5 million.")
    ('6 weeks', '$1.5 million')
    >>> with_written_unit("12", "There are 12 windows."), with_written_unit("Ann", None)
    ('12', 'Ann')
    >>> with_written_unit("16", "A strike of sixteen days."), with_written_unit("4.35", "Der Stamm misst 4,35 Meter.")
    ('sixteen days', '4,35 Meter')
    >>> with_written_unit("1500000", "They burnt 1.5 million tonnes of coal.")
    '1.5 million tonnes'
    >>> with_written_unit("890", "| Danube | 890 |", "| tour | price in EUR |\n| --- | --- |\n| Danube | 890 |")
    'EUR 890'
    """
    if not quote or not _BARE.fullmatch(value):
        return value
    number = parse_value(value).low
    digits = number_as_written(value, quote)
    beside = (_beside(digits, number, quote, decimal_commas=commas) for commas in (False, True))
    return next(filter(None, beside), None) or _under_heading(digits, number, quote, passage)


def as_written(value: str, quote: str) -> str:
    """Return a range in the words of its quote; another value as it is.

    >>> as_written("[2,3]", "It takes 2 to 3 weeks."), as_written("2", "It takes 2 to 3 weeks.")
    ('2 to 3 weeks', '2')
    """
    parsed = parse_value(value)
    words = (
        quote[one.start : one.end].strip()
        for commas in (False, True)
        for one in quantities_in(quote, decimal_commas=commas)
        if parsed.kind == "range" and (one.low, one.high) == (parsed.low, parsed.high)
    )
    return next(words, value)


def number_as_written(value: str, quote: str | None) -> str:
    """Return a positive number as its quote writes it, without its unit; another value as it is.

    >>> number_as_written("3140", "It costs €3,140."), number_as_written("8.5", "8.50 euros")
    ('3,140', '8.50')
    >>> number_as_written("1500000", "It cost $1.5 million."), number_as_written("16", "A strike of sixteen days.")
    ('1.5 million', 'sixteen')
    >>> number_as_written("4.35", "4,35 Meter"), number_as_written("5", "It costs €3,140.")
    ('4,35', '5')
    """
    number = parse_value(value).low if quote and _BARE.fullmatch(value) else None
    if quote is None or number is None or number <= 0:
        return value
    written = (
        match["number"].strip()
        for commas in (False, True)
        for one in quantities_in(quote, decimal_commas=commas)
        if one.low == one.high == number and (match := _WRITTEN.fullmatch(quote[one.start : one.end]))
    )
    return next(written, value)


def _beside(digits: str, number: float | None, quote: str, *, decimal_commas: bool) -> str | None:
    for one in quantities_in(quote, decimal_commas=decimal_commas):
        if one.low == one.high == number and one.unit is not None and not one.unit.is_noun:
            match = _WRITTEN.fullmatch(quote[one.start : one.end])
            if match is None or not (match["before"] or match["unit"]):
                return None
            if before := match["before"]:
                return f"{before} {digits}" if _CODE.fullmatch(before) else f"{before}{digits}"
            return f"{digits}{'-' if match['gap'].endswith('-') else ' '}{match['unit']}"
    return None


def _under_heading(digits: str, number: float | None, quote: str, passage: str) -> str:
    """Return `digits` with the unit of the only column of the quoted row in which the number stands, if it names one."""
    headings = [heading for heading, cell in _cells(quote, passage) if number in _number_of(cell)]
    named = _UNIT_OF_HEADING.search(headings[0]) if len(headings) == 1 else None
    written = (named[1] or named[2]).strip() if named else ""
    unit = parse_unit(written) if written else None
    if unit is None or unit.is_noun or _PERIOD.fullmatch(written):
        return digits
    return f"{written} {digits}" if _CODE.fullmatch(written) else f"{digits} {written}"


def _cells(quote: str, passage: str) -> list[tuple[str, str]]:
    """Return the heading and the text of each cell of a quoted row, of a Markdown table or in words."""
    row = quote.strip()
    if not row.startswith("|"):
        return [(heading.strip(), cell.strip()) for heading, cell in _ROW.findall(row)]
    lines = [line.strip() for line in passage.split("\n")]
    above = lines[: lines.index(row)] if row in lines else []
    rules = [place for place, line in enumerate(above) if line.startswith("|") and is_rule(line)]
    if not rules or not rules[-1]:
        return []
    heads, cells = map(row_cells, (above[rules[-1] - 1], row))
    return list(zip(heads, cells, strict=True)) if len(heads) == len(cells) else []


def _number_of(cell: str) -> set[float]:
    """Return the number that a cell is, by either convention for decimal commas; none if it has more than a number."""
    cell = cell.strip()
    read = (quantities_in(cell, decimal_commas=commas) for commas in (False, True))
    return {one.low for found in read for one in found if one.unit is None and (one.start, one.end) == (0, len(cell))}
