"""The unit that a value is written with in its quote, for people who read the value."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.text.units import SCALES
from kohaku_lib.values import parse_value

_BARE = re.compile(r"-?[\d.,]*\d")
_SCALE = rf"(?:(?:{'|'.join(SCALES)})s?\s+|[kKMBT](?=\s\S)\s+)?"  # the value has it already
_BEHIND = re.compile(rf"\s*[\d.,]+\s*{_SCALE}([^\d\s].*?)(?:\sof\s.*)?")  # not the thing measured: 4 kWh of electricity
_BEFORE = re.compile(r"\s*((?:US)?[$€£¥])\s?[\d.,]+.*")


def with_written_unit(value: str, quote: str | None) -> str:
    """Return `value` with the unit that it has in `quote`; as it is where it is no bare number, or the quote names none.

    >>> with_written_unit("6", "The offer is valid for 6 weeks."), with_written_unit("1500000", "It cost $1.5 million.")
    ('6 weeks', '$1500000')
    >>> with_written_unit("12", "There are 12 windows."), with_written_unit("Ann", None)
    ('12', 'Ann')
    >>> with_written_unit("1500000", "They burnt 1.5 million tonnes of coal.")
    '1500000 tonnes'
    """
    if not quote or not _BARE.fullmatch(value):
        return value
    number = parse_value(value)
    for one in quantities_in(quote):
        if one.unit is not None and not one.unit.is_noun and one.low == one.high == number.low:
            written = quote[one.start : one.end]
            if before := _BEFORE.fullmatch(written):
                return f"{before[1]}{value}"
            behind = _BEHIND.fullmatch(written)
            return f"{value} {behind[1]}" if behind else value
    return value
