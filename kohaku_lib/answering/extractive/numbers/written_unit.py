"""The unit that a value is written with in its quote or above its column, for people who read the value."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.numbers.quantities import NUMBER_WORD, quantities_in
from kohaku_lib.answering.extractive.numbers.units import parse_unit
from kohaku_lib.text.decimal_commas import with_decimal_points
from kohaku_lib.text.table_rows import without_bars
from kohaku_lib.text.units import SCALES
from kohaku_lib.values import parse_value

_BARE = re.compile(r"-?[\d.,]*\d")
_SCALE = rf"(?:(?:{'|'.join(SCALES)})s?\s+|[kKMBT](?=\s\S)\s+)?"  # the value has it already
_BEHIND = re.compile(
    rf"\s*(?:[\d.,]+|(?i:{NUMBER_WORD.pattern}))\s*{_SCALE}(?P<unit>[^\d\s-].*?)(?:\sof\s.*)?"
)  # not the thing measured: 4 kWh of electricity
_BEFORE = re.compile(r"\s*((?:US)?[$€£¥])\s?[\d.,]+.*")
_CODE = re.compile(r"\b(?:EUR|USD|GBP|CHF)")
_CODE_BEFORE = re.compile(rf"({_CODE.pattern})\s?$")
_POINTS_OF_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![.,]?\d)")  # 4.200 €
_UNIT_OF_HEADING = re.compile(r"\(([^()]{1,12})\)\s*$|\bin (\S{1,12})\s*$")
_PERIOD = re.compile(
    r"second|minute|hour|day|week|month|year|stunde|tag|woche|monat|jahr|[A-Z]", re.IGNORECASE
)  # a remark
_ROW = re.compile(r"(?<=[;—])\s*([^:;—]+):\s([^;]+)")  # of a row in words: "Bike — price (EUR): 40; weight: 9"


def with_written_unit(value: str, quote: str | None, passage: str = "") -> str:
    r"""Return `value` with the unit that it has in `quote`, else the unit that the heading of its column ends in.

    `passage` is the text around the quote, where the heading of a table stands. The value is as it was where it is no bare
    number, or nothing names a unit.

    >>> with_written_unit("6", "The offer is valid for 6 weeks."), with_written_unit("1500000", "It cost $1.5 million.")
    ('6 weeks', '$1500000')
    >>> with_written_unit("12", "There are 12 windows."), with_written_unit("Ann", None)
    ('12', 'Ann')
    >>> with_written_unit("16", "A strike of sixteen days."), with_written_unit("4.35", "Der Stamm misst 4,35 Meter.")
    ('16 days', '4.35 Meter')
    >>> with_written_unit("1500000", "They burnt 1.5 million tonnes of coal.")
    '1500000 tonnes'
    >>> with_written_unit("890", "| Danube | 890 |", "| tour | price in EUR |\n| --- | --- |\n| Danube | 890 |")
    'EUR 890'
    """
    if not quote or not _BARE.fullmatch(value):
        return value
    number = parse_value(value).low
    by_points = _POINTS_OF_THOUSANDS.sub(lambda found: found[0].replace(".", ","), quote)
    shown = (_beside(value, number, text) for text in (quote, by_points, with_decimal_points(quote)))
    return next(filter(None, shown), None) or _under_heading(value, number, quote, passage) or value


def _beside(value: str, number: float | None, quote: str) -> str | None:
    for one in quantities_in(quote):
        if not one.low == one.high == number:
            continue
        code = _CODE_BEFORE.search(quote[: one.start])
        if one.unit is None and code is not None:
            return f"{code[1]} {value}"
        if one.unit is not None and not one.unit.is_noun:
            written = quote[one.start : one.end]
            if before := _BEFORE.fullmatch(written):
                return f"{before[1]}{value}"
            behind = _BEHIND.fullmatch(written)
            return f"{value} {behind['unit']}" if behind else None
    return None


def _under_heading(value: str, number: float | None, quote: str, passage: str) -> str | None:
    """Return `value` with the unit of the only column of the quoted row in which it stands."""
    headings = [
        heading for heading, cell in _cells(quote, passage) if number is not None and _number_of(cell) == number
    ]
    named = _UNIT_OF_HEADING.search(headings[0]) if len(headings) == 1 else None
    written = (named[1] or named[2]).strip() if named else ""
    unit = parse_unit(written) if written else None
    if unit is None or unit.is_noun or _PERIOD.fullmatch(written):
        return None
    return f"{written} {value}" if _CODE.fullmatch(written) else f"{value} {written}"


def _cells(quote: str, passage: str) -> list[tuple[str, str]]:
    """Return the heading and the text of each cell of a quoted row, of a Markdown table or in words."""
    row = quote.strip()
    if not row.startswith("|"):
        return [(heading.strip(), cell.strip()) for heading, cell in _ROW.findall(row)]
    lines = [line.strip() for line in passage.split("\n")]
    above = lines[: lines.index(row)] if row in lines else []
    rules = [place for place, line in enumerate(above) if line.startswith("|") and without_bars(line) == ""]
    if not rules or not rules[-1]:
        return []
    heads, cells = (line.strip("|").split("|") for line in (above[rules[-1] - 1], row))
    return list(zip(heads, cells, strict=True)) if len(heads) == len(cells) else []


def _number_of(cell: str) -> float | None:
    return parse_value(cell.strip()).low if _BARE.fullmatch(cell.strip()) else None
