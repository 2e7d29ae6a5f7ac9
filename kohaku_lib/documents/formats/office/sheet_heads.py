"""How many of the first rows of a block of cells name its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import Literal


def head_rows(rows: Sequence[Sequence[str]]) -> int:
    """Return how many of `rows` are names of columns: 1 but for two clear cases.

    0 if the first row has the same kind of number, date or address as the rows below it and no word above such a column;
    years, and numbers that grow from left to right, are names as well. 2 if the first row has gaps that the second fills,
    neither has an amount, and numbers stand below.

    >>> head_rows([["Ann", "Sales", "4510"], ["Bob", "Stock", "4512"], ["Cleo", "Sales", "4519"]])
    0
    >>> head_rows([["City", "Trams"], ["Graz", "6"], ["Linz", "4"]])
    1
    >>> head_rows([["", "2023", "", "2024", ""], ["City", "Trams", "Buses", "Trams", "Buses"], ["Graz", "6", "31", "6", "33"]])
    2
    """
    if not rows:
        return 0
    if _has_two_heads(rows):
        return 2
    return 0 if _begins_with_data(rows) else 1


def joined_heads(above: Sequence[str], below: Sequence[str]) -> list[str]:
    """Return the names of columns whose group stands in the row above, once, over the first of its columns.

    >>> joined_heads(["", "2023", "", "2024", ""], ["City", "Trams", "Buses", "Trams", "Buses"])
    ['City', '2023 Trams', '2023 Buses', '2024 Trams', '2024 Buses']
    """
    names, group = [], ""
    for own, name in zip_longest(above, below, fillvalue=""):
        group = own.strip() or group
        names.append(f"{group} {name.strip()}".strip() if name.strip() != group else group)
    return names


Kind = Literal["", "text", "number", "year", "date", "time", "address"]

_LONGEST = 40  # characters of a number, a date or an address
_LEAST_BELOW = 2  # rows
_KINDS: Sequence[tuple[Kind, re.Pattern[str]]] = (
    ("", re.compile(r"\s*")),
    ("year", re.compile(r"(?:19|20)\d{2}")),
    ("date", re.compile(r"\d{4}-\d{2}-\d{2}.*|\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})")),
    ("time", re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")),
    ("address", re.compile(r"\S+@\S+\.\S+|https?://\S+")),
    ("number", re.compile(r"[-+–−(]?\s*[$€£¥]?\s*[-+–−(]?\d[\d,.'\s]*(?:%|\)|€|\$|£|EUR|USD|CHF|GBP)?")),
)


def _kind(cell: str) -> Kind:
    text = cell.strip()
    if len(text) > _LONGEST:
        return "text"
    for kind, pattern in _KINDS:
        if pattern.fullmatch(text):
            return kind
    return "text"


def _column_kind(cells: Sequence[str]) -> Kind:
    """Return the kind of all filled cells; "text" where they differ, "" where there are none."""
    kinds: set[Kind] = {_kind(cell) for cell in cells if cell.strip()}
    if kinds == {"number", "year"}:
        return "number"
    if not kinds:
        return ""
    return kinds.pop() if len(kinds) == 1 else "text"


def _columns(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    return list(zip_longest(*rows, fillvalue=""))


def _begins_with_data(rows: Sequence[Sequence[str]]) -> bool:
    if len(rows) <= _LEAST_BELOW:
        return False
    alike = []
    for first, *below in _columns(rows):
        own, kind = _kind(first), _column_kind(below)
        if kind in ("", "text") or own == "":
            continue
        if own != kind:
            return False
        alike.append((kind, first))
    numbers = [first for kind, first in alike if kind in ("number", "year")]
    return bool(alike) and not (len(numbers) > 1 and _grow(numbers))


def _grow(numbers: Sequence[str]) -> bool:
    values = [float(re.sub(r"[^\d.]", "", number) or 0) for number in numbers if number.count(".") < 2]
    return len(values) == len(numbers) and all(one < other for one, other in pairwise(values))


def _has_two_heads(rows: Sequence[Sequence[str]]) -> bool:
    if len(rows) <= 2:
        return False
    names = ("", "text", "year")
    is_below_number = False
    gaps = 0
    for first, second, *below in _columns(rows):
        if _kind(first) not in names or _kind(second) not in names:
            return False
        gaps += not first.strip() and bool(second.strip())
        is_below_number |= _kind(second) != "" and _column_kind(below) == "number"
    return gaps > 0 and is_below_number and any(cell.strip() for cell in rows[0])
