"""The tables of a page's layout: a grid from the engine, filled with the words of the page."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from typing import Any

from kohaku_lib.documents.formats.pdf.layout_engine import LayoutRegion
from kohaku_lib.documents.formats.pdf.tables.tables import Table
from kohaku_lib.documents.formats.pdf.text.page_text import Box, clean_text

_LEAST_SHARED = 0.5
_HELD_SHARE = 0.9  # of the width and the height
_LEAST_FILLED_SHARE = 0.25
_WORD_GAP_SHARE = 0.5  # of a word's height
_TRAILING = re.compile(r"([)%]+)(?:\s+|\Z)")
_LEADING = re.compile(r"(?:\A|\s+)([$€£¥])\Z")

Word = Sequence[Any]  # PyMuPDF's: x0, y0, x1, y1, text, block, line, word


def layout_tables(
    regions: Sequence[LayoutRegion], words: Sequence[Word], ruled: Sequence[Table], sound: Sequence[Box] = ()
) -> list[Table]:
    """Return the tables among the regions that are none of the `ruled` ones, filled with the `words` of the page.

    `sound` are the boxes of tables that the lines of the page show; one that holds a region whole goes before it,
    for lines tell more about heads over several columns than a grid does.

    A word belongs to the cell in which its middle lies; a label that runs on over the edges of cells, in a row
    that fills no more than half of them, stays whole in the first. Empty rows and columns go. Grids with fewer
    than two rows or columns, or with fewer than a quarter of their cells filled, are no tables.
    """
    wanted = [
        region
        for region in regions
        if region.kind == "table"
        and not any(_shares(region.box, table.box) for table in ruled)
        and not any(_is_held(region.box, box) for box in sound)
    ]
    return [table for region in wanted if (table := _table(region, words)) is not None]


def _shares(box: Box, other: Box) -> bool:
    """Tell whether half of the smaller of two boxes lies in the other."""
    width = min(box.x1, other.x1) - max(box.x0, other.x0)
    height = min(box.y1, other.y1) - max(box.y0, other.y0)
    smaller = min(box.width * box.height, other.width * other.height)
    return width > 0 and height > 0 and width * height > _LEAST_SHARED * smaller


def _is_held(box: Box, other: Box) -> bool:
    width = min(box.x1, other.x1) - max(box.x0, other.x0)
    height = min(box.y1, other.y1) - max(box.y0, other.y0)
    return width >= _HELD_SHARE * box.width and height >= _HELD_SHARE * box.height


def _table(region: LayoutRegion, words: Sequence[Word]) -> Table | None:
    cells = _placed(region, words)
    rows = [_signs_joined([_text(cell) for cell in _labels_joined(row)]) for row in cells if any(row)]
    columns = [index for index in range(len(region.columns) - 1) if any(row[index] for row in rows)]
    grid = tuple(tuple(row[index] for index in columns) for row in rows)
    filled = sum(bool(cell) for row in grid for cell in row)
    if len(grid) < 2 or len(columns) < 2 or filled < _LEAST_FILLED_SHARE * len(grid) * len(columns):
        return None
    return Table(grid, region.box)


def _placed(region: LayoutRegion, words: Sequence[Word]) -> list[list[list[Word]]]:
    """Return the words of every cell, by row and column, in reading order."""
    cells: list[list[list[Word]]] = [[[] for _ in region.columns[1:]] for _ in region.rows[1:]]
    for word in sorted(words, key=_reading_place):
        column = bisect(region.columns, (word[0] + word[2]) / 2) - 1
        row = bisect(region.rows, (word[1] + word[3]) / 2) - 1
        if 0 <= column < len(region.columns) - 1 and 0 <= row < len(region.rows) - 1:
            cells[row][column].append(word)
    return cells


def _labels_joined(row: Sequence[list[Word]]) -> list[list[Word]]:
    joined = [list(cell) for cell in row]
    if 2 * sum(map(bool, row)) > len(row):
        return joined
    start = 0
    for index in range(1, len(joined)):
        if joined[index] and joined[start] and _runs_on(joined[start][-1], joined[index][0]):
            joined[start] += joined[index]
            joined[index] = []
        elif joined[index]:
            start = index
    return joined


def _runs_on(word: Word, after: Word) -> bool:
    return tuple(word[5:7]) == tuple(after[5:7]) and after[0] - word[2] < _WORD_GAP_SHARE * (word[3] - word[1])


def _signs_joined(row: Sequence[str]) -> list[str]:
    """Return the cells with ")" and "%" behind the number to their left, and "$" before the one to their right."""
    joined = list(row)
    for index in range(1, len(joined)):
        trailing = _TRAILING.match(joined[index])
        if trailing and joined[index - 1][-1:].isdigit():
            joined[index - 1] += trailing[1]
            joined[index] = joined[index][trailing.end() :]
        leading = _LEADING.search(joined[index - 1])
        if leading and joined[index][:1].isdigit():
            joined[index - 1] = joined[index - 1][: leading.start()]
            joined[index] = f"{leading[1]} {joined[index]}"
    return joined


def _reading_place(word: Word) -> tuple[int, int, int]:
    return word[5], word[6], word[7]


def _text(cell: Sequence[Word]) -> str:
    return clean_text(" ".join(word[4] for word in cell))
