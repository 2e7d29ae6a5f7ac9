"""Build tables from the layout engine's grids and the words of the page."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from typing import Any

from kohaku_lib.documents.formats.pdf.layout_engine import LayoutRegion
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.page_text import Box, normalised_text

_LEAST_OVERLAP = 0.5
_CONTAINED_SHARE = 0.9  # of the width and the height
_LEAST_FILLED_SHARE = 0.25
_WORD_GAP_SHARE = 0.5  # of a word's height
_TRAILING = re.compile(r"([)%]+)(?:\s+|\Z)")
_LEADING = re.compile(r"(?:\A|\s+)([$€£¥])\Z")

Word = Sequence[Any]  # PyMuPDF's: x0, y0, x1, y1, text, block, line, word


def layout_tables(
    regions: Sequence[LayoutRegion], words: Sequence[Word], ruled: Sequence[PageTable], sound: Sequence[Box] = ()
) -> list[PageTable]:
    """Return the tables among the regions that are not already `ruled` ones, filled with the `words` of the page.

    `sound` are the boxes of valid tables detected from lines; one that contains a region takes precedence, since lines
    are more reliable for headers over several columns than a grid.

    A word belongs to the cell that contains its centre; in a row with at most half of its cells filled, a label across
    cell edges is kept whole in the first cell. Empty rows and columns are dropped. Grids with fewer than two rows or
    columns, or with fewer than a quarter of their cells filled, are not tables.
    """
    wanted = [
        region
        for region in regions
        if region.kind == "table"
        and not any(_overlap_mostly(region.box, table.box) for table in ruled)
        and not any(_is_contained(region.box, box) for box in sound)
    ]
    return [table for region in wanted if (table := _region_table(region, words)) is not None]


def _overlap_mostly(box: Box, other: Box) -> bool:
    """Return whether more than half of the smaller box is inside the other."""
    width = min(box.x1, other.x1) - max(box.x0, other.x0)
    height = min(box.y1, other.y1) - max(box.y0, other.y0)
    smaller = min(box.area, other.area)
    return width > 0 and height > 0 and width * height > _LEAST_OVERLAP * smaller


def _is_contained(box: Box, other: Box) -> bool:
    width = min(box.x1, other.x1) - max(box.x0, other.x0)
    height = min(box.y1, other.y1) - max(box.y0, other.y0)
    return width >= _CONTAINED_SHARE * box.width and height >= _CONTAINED_SHARE * box.height


def _region_table(region: LayoutRegion, words: Sequence[Word]) -> PageTable | None:
    cells = _words_by_cell(region, words)
    rows = [_with_attached_signs([_cell_text(cell) for cell in _with_joined_labels(row)]) for row in cells if any(row)]
    columns = [index for index in range(len(region.columns) - 1) if any(row[index] for row in rows)]
    grid = tuple(tuple(row[index] for index in columns) for row in rows)
    filled = sum(bool(cell) for row in grid for cell in row)
    if len(grid) < 2 or len(columns) < 2 or filled < _LEAST_FILLED_SHARE * len(grid) * len(columns):
        return None
    return PageTable(grid, region.box)


def _words_by_cell(region: LayoutRegion, words: Sequence[Word]) -> list[list[list[Word]]]:
    """Return the words of every cell, by row and column, in reading order."""
    cells: list[list[list[Word]]] = [[[] for _ in region.columns[1:]] for _ in region.rows[1:]]
    for word in sorted(words, key=_reading_position):
        column = bisect(region.columns, (word[0] + word[2]) / 2) - 1
        row = bisect(region.rows, (word[1] + word[3]) / 2) - 1
        if 0 <= column < len(region.columns) - 1 and 0 <= row < len(region.rows) - 1:
            cells[row][column].append(word)
    return cells


def _with_joined_labels(row: Sequence[list[Word]]) -> list[list[Word]]:
    joined = [list(cell) for cell in row]
    if 2 * sum(map(bool, row)) > len(row):
        return joined
    start = 0
    for index in range(1, len(joined)):
        if joined[index] and joined[start] and _is_adjacent(joined[start][-1], joined[index][0]):
            joined[start] += joined[index]
            joined[index] = []
        elif joined[index]:
            start = index
    return joined


def _is_adjacent(word: Word, after: Word) -> bool:
    return tuple(word[5:7]) == tuple(after[5:7]) and after[0] - word[2] < _WORD_GAP_SHARE * (word[3] - word[1])


def _with_attached_signs(row: Sequence[str]) -> list[str]:
    """Return the cells with ")" and "%" moved to the number on their left, and "$" to the one on their right."""
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


def _reading_position(word: Word) -> tuple[int, int, int]:
    return word[5], word[6], word[7]


def _cell_text(cell: Sequence[Word]) -> str:
    return normalised_text(" ".join(word[4] for word in cell))
