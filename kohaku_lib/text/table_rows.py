"""Rows of Markdown tables: written, read, and as a person reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

_ROW = re.compile(r"^\s*\|.*\|\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


def markdown_rows(rows: Sequence[Sequence[str]]) -> str:
    r"""Return the rows as a Markdown table; the first one is its header.

    >>> print(markdown_rows([["Year", "kWh"], ["2023", "4|5"]]))
    | Year | kWh |
    | --- | --- |
    | 2023 | 4\|5 |
    """
    return "\n".join(map(markdown_row, (rows[0], ["---"] * len(rows[0]), *rows[1:])))


def markdown_row(cells: Sequence[str]) -> str:
    r"""Return one row of a Markdown table; line breaks in cells become spaces, bars are escaped.

    >>> markdown_row(["a|b", "1"])
    '| a\\|b | 1 |'
    """
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def row_cells(line: str) -> list[str]:
    r"""Return the cells of a row, with or without outer bars.

    >>> row_cells("| a\\|b | | 1 |"), row_cells("a | 1")
    (['a|b', '', '1'], ['a', '1'])
    """
    cells = [cell.strip() for cell in between_bars(line.strip().removeprefix("|"))]
    if len(cells) > 1 and not cells[-1]:
        cells.pop()
    return [cell.replace("\\|", "|") for cell in cells]


def between_bars(text: str) -> list[str]:
    r"""Return what stands before, between and behind the bars of `text`, as it is written there.

    >>> between_bars("| a\\|b | 1 |")
    ['', ' a\\|b ', ' 1 ', '']
    """
    return _BAR.split(text)


def is_rule(line: str) -> bool:
    """Return whether a line is the one of dashes below the header.

    >>> [is_rule(line) for line in ("| --- | :-: |", "-|-", "---", "| - | 4 |")]
    [True, True, False, False]
    """
    return "|" in line and all(map(_RULE.fullmatch, row_cells(line)))


def without_bars(text: str) -> str:
    r"""Return `text` with the rows of Markdown tables without their outer bars, rules, empty and repeated cells.

    A cell that spans columns stands in each of them, and is shown once. Other lines stay as they are.

    >>> print(without_bars("Prices\n| Item | Price |\n| --- | --- |\n| VAT 25 % | VAT 25 % | | 4,095.50 € |"))
    Prices
    Item | Price
    VAT 25 % | 4,095.50 €
    """
    lines = [_plain_row(line) if _ROW.match(line) else line for line in text.split("\n")]
    return "\n".join(line for line in lines if line is not None)


def rows_with_head(text: str, start: int, end: int) -> str:
    r"""Return the rows of a Markdown table from `start` to `end` below the head of their table; "" where there stand others.

    >>> table = "Rooms\n| Room | Seats |\n| --- | --- |\n| Alder | 12 |\n| Birch | 24 |"
    >>> print(rows_with_head(table, table.index("Birch"), len(table)))
    | Room | Seats |
    | --- | --- |
    | Birch | 24 |
    >>> rows_with_head(table, 0, 5), rows_with_head("| Alder | 12 |", 2, 7)
    ('', '| Alder | 12 |')
    """
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", max(start, end - 1))
    rows = text[first : last if last >= 0 else len(text)].split("\n")
    if not all(map(_ROW.match, rows)):
        return ""
    above = text[:first].split("\n")[:-1]
    rule = next(
        (place for place in reversed(range(len(above))) if not _ROW.match(above[place]) or is_rule(above[place])), 0
    )
    head = above[rule - 1 : rule + 1] if rule and is_rule(above[rule]) else []
    return "\n".join([*head, *rows])


def _plain_row(line: str) -> str | None:
    """Return a row without bars; None for one without words and the rule below the header."""
    cells = list(filter(None, row_cells(line)))
    return None if not cells or is_rule(line) else " | ".join(cell for cell, _ in groupby(cells))
