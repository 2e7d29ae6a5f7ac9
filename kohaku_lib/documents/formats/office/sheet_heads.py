"""How many of the first rows of a block of cells name its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import Literal


def head_rows(rows: Sequence[Sequence[str]]) -> int:
    """Return how many of `rows` are names of columns: 1 but for two clear cases.

    0 if the first row has the same kind of number, date or address as the rows below it and no word above such a column;
    years, and numbers that grow from left to right, are names as well. 2 if the first row has gaps, or the same twice in a
    row, that the second fills or tells apart, neither has an amount, and numbers stand below.

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


def continues(rows: Sequence[Sequence[str]], header: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Return whether `rows`, below a blank row, go on with the table of `header` and `body`.

    They do if they have no more columns, and their first row the kind of number, date or address of the column above, or
    a text that stands there too. A header without a body goes on with rows that have such values under names, or that
    fill the same three columns or more.

    >>> header, body = ["City", "Trams"], [["Graz", "6"], ["Linz", "4"]]
    >>> continues([["Sum", "10"]], header, body), continues([["Shop", "Sales"], ["York", "31"]], header, body)
    (True, False)
    >>> continues([["Graz", "6"]], header, []), continues([["Shop", "Sales"], ["York", "31"]], header, [])
    (True, False)
    """
    filled = {at for row in rows for at, cell in enumerate(row) if cell.strip()}
    named = {at for at, cell in enumerate(header) if cell.strip()}
    if not filled <= named or list(rows[0]) == list(header):
        return False
    if not body:
        names_all = all(kind_of_cell(cell) in _NAMES for cell in header)
        has_value = any(kind_of_cell(cell) in _VALUES for cell in rows[0])
        is_full = all(sum(bool(cell.strip()) for cell in row) == len(named) for row in rows)
        return names_all and (has_value or (len(named) >= _LEAST_TEXTS and len(rows) > 1 and is_full))
    is_alike = False
    for at, first in enumerate(rows[0]):
        above = [row[at] for row in body if at < len(row)]
        own, kind = kind_of_cell(first), kind_of_column(above)
        if "" in (own, kind) or {own, kind} == {"number", "year"}:
            continue
        if kind not in (own, "text"):
            return False
        is_alike |= kind != "text" or first in above
    return is_alike


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


def kind_of_cell(cell: str) -> Kind:
    """Return the kind of a cell; "" if it is empty or says that it is, as a dash does.

    >>> [kind_of_cell(cell) for cell in ("Graz", "$4,200.00", "(310)", "12 kg", "2024", "INV-0012", "n/a")]
    ['text', 'number', 'number', 'measure', 'year', 'code', '']
    """
    text = cell.strip()
    if len(text) > _LONGEST:
        return "text"
    for kind, pattern in _KINDS:
        if pattern.fullmatch(text):
            return kind
    return "text"


def kind_of_column(cells: Sequence[str]) -> Kind:
    """Return the kind of all filled cells; "text" where they differ, "" where there are none.

    >>> kind_of_column(["310", "-", "2024"])
    'number'
    """
    kinds: set[Kind] = {kind_of_cell(cell) for cell in cells} - {""}
    if kinds == {"number", "year"}:
        return "number"
    if not kinds:
        return ""
    return kinds.pop() if len(kinds) == 1 else "text"


Kind = Literal["", "text", "number", "year", "date", "time", "address", "measure", "code"]

_LONGEST = 40  # characters of a number, a date or an address
_LEAST_BELOW = 2  # rows
_LEAST_TEXTS = 3  # columns
_NAMES = ("", "text", "year", "measure", "code")
_VALUES = ("number", "date", "time", "address", "measure")
_NUMBER = r"[-+–−(]?\s*(?:[$€£¥]|(?:EUR|USD|CHF|GBP))?\s*[-+–−(]?\d[\d,.'\s]*(?:E[-+]?\d+)?"
_KINDS: Sequence[tuple[Kind, re.Pattern[str]]] = (
    ("", re.compile(r"\s*|[-–—]+|n/?a|none|null", re.IGNORECASE)),
    ("year", re.compile(r"(?:19|20)\d{2}")),
    ("date", re.compile(r"\d{4}-\d{2}-\d{2}.*|\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})")),
    ("time", re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?")),
    ("address", re.compile(r"\S+@\S+\.\S+|https?://\S+")),
    ("number", re.compile(rf"{_NUMBER}(?:%|€|\$|£|EUR|USD|CHF|GBP)?\)?")),
    ("measure", re.compile(rf"{_NUMBER}[a-zA-Zµ°²³/]{{1,6}}")),
    ("code", re.compile(r"[A-Za-z]{1,5}[-/. ]?\d[\w./-]*")),
)


def _columns(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    return list(zip_longest(*rows, fillvalue=""))


def _begins_with_data(rows: Sequence[Sequence[str]]) -> bool:
    if len(rows) <= _LEAST_BELOW:
        return False
    alike = []
    for first, *below in _columns(rows):
        own, kind = kind_of_cell(first), kind_of_column(below)
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
    is_below_number = False
    gaps = 0
    group = ""
    for first, second, *below in _columns(rows):
        is_below_group = first == group or not first.strip()
        group = first
        if kind_of_cell(first) not in _NAMES or kind_of_cell(second) not in _NAMES:
            return False
        gaps += is_below_group and bool(second.strip())
        is_below_number |= kind_of_cell(second) != "" and kind_of_column(below) == "number"
    return gaps > 0 and is_below_number and any(cell.strip() for cell in rows[0])
