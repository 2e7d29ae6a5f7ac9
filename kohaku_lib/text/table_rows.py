"""Rows of Markdown tables as a person reads them."""

from __future__ import annotations

import re
from itertools import groupby

_ROW = re.compile(r"^\s*\|.*\|\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-{3,}:?")


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


def _plain_row(line: str) -> str | None:
    """Return a row without bars; None for the rule below the header."""
    cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(line.strip())]
    if all(_RULE.fullmatch(cell) for cell in cells if cell):
        return None
    return " | ".join(cell for cell, _ in groupby(filter(None, cells)))
