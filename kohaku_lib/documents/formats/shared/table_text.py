"""Render table cells as Markdown in the form shared by all formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from kohaku_lib.tables import ParagraphPayload
from kohaku_lib.text.table_rows import markdown_rows

_MOST_SPANNED = 1000  # columns, as in browsers; a larger span is a mistake or an attack on memory
_FREE_CELLS, _CELLS_PER_CELL = 20_000, 20  # limit of the grid: a base plus a multiple of its cells
_FREE_CHARS, _CHARS_PER_CHAR = 200_000, 20  # the same for its text


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell and the number of rows and columns it spans."""

    text: str
    rows: int = 1
    columns: int = 1


def expand_spans(rows: Sequence[Sequence[GridCell]]) -> list[list[str]]:
    """Return the texts of `rows` as a full grid in which a spanning cell is repeated in every position.

    The grid is bounded by the number of cells and the length of their text. If spans exceed the bound, they are limited
    to the columns of the other rows; if that is not enough, each row becomes one cell with all its text.

    >>> expand_spans([[GridCell("Model", rows=2), GridCell("Energy", columns=2)], [GridCell("2022"), GridCell("2023")]])
    [['Model', 'Energy', 'Energy'], ['Model', '2022', '2023']]
    """
    for shaped in (rows, _with_narrow_single_cells(rows)):
        grid = _full_grid(shaped)
        if grid is not None:
            return grid
    return [[" ".join(cell.text for cell in cells)] for cells in rows]


def _full_grid(rows: Sequence[Sequence[GridCell]]) -> list[list[str]] | None:
    """Return the full grid, None if it would be too large."""
    texts = [cell.text for cells in rows for cell in cells]
    cells_left = _FREE_CELLS + _CELLS_PER_CELL * len(texts)
    chars_left = _FREE_CHARS + _CHARS_PER_CHAR * sum(map(len, texts))
    most_columns = cells_left // max(len(rows), 1)
    places: dict[tuple[int, int], str] = {}
    for row, cells in enumerate(rows):
        column = 0
        for cell in cells:
            while (row, column) in places:
                column += 1
            height = min(max(cell.rows, 1), _MOST_SPANNED, len(rows) - row)
            width = min(max(cell.columns, 1), _MOST_SPANNED)
            cells_left -= height * width
            chars_left -= height * width * len(cell.text)
            if cells_left < 0 or chars_left < 0 or column + width > most_columns:
                return None
            for place in product(range(row, row + height), range(column, column + width)):
                places.setdefault(place, cell.text)
            column += width
    width = 1 + max((column for _, column in places), default=-1)
    return [[places.get((row, column), "") for column in range(width)] for row in range(len(rows))]


def _with_narrow_single_cells(rows: Sequence[Sequence[GridCell]]) -> list[list[GridCell]]:
    """Return the cells, with single-cell rows limited to the width of the widest other row."""
    widest = max((sum(cell.columns for cell in cells) for cells in rows if len(cells) > 1), default=1)
    return [
        [replace(cell, columns=min(cell.columns, widest)) for cell in cells] if len(cells) == 1 else list(cells)
        for cells in rows
    ]


def markdown_table(grid: Sequence[Sequence[str]], header_rows: int = 1) -> str:
    r"""Return `grid` as a Markdown table, "" if all cells are empty.

    Several header rows are merged into one without repetition. Empty columns and rows are dropped; line breaks in cells
    become spaces, bars are escaped.

    >>> print(markdown_table([["Model", "Energy", "Energy"], ["Model", "2022", "2023"], ["A|B", "1", "2"]], 2))
    | Model | Energy 2022 | Energy 2023 |
    | --- | --- | --- |
    | A\|B | 1 | 2 |
    """
    cells = [[" ".join(text.split()) for text in row] for row in grid]
    columns = [column for column in range(max(map(len, cells), default=0)) if any(row[column] for row in cells)]
    if not columns:
        return ""
    header_rows = max(1, header_rows)
    header = [" ".join(dict.fromkeys(row[column] for row in cells[:header_rows] if row[column])) for column in columns]
    body = [[row[column] for column in columns] for row in cells[header_rows:] if any(row)]
    return markdown_rows([header, *body])


def table_paragraph(
    grid: Sequence[Sequence[str]], header_rows: int = 1, caption: str = "", metadata: Mapping[str, Any] | None = None
) -> ParagraphPayload | None:
    r"""Return a table as a paragraph: a line with its caption, if any, then Markdown; None if empty.

    >>> paragraph = table_paragraph([["a", "b"], ["1", "2"]], caption="Table 1: Two numbers.")
    >>> paragraph.text.split("\n")[0], paragraph.metadata["modality"]
    ('Table 1: Two numbers.', 'table')
    """
    table = markdown_table(grid, header_rows)
    caption = " ".join(caption.split())
    if not table:
        return None
    known = {**(metadata or {}), "modality": "table", "attachment_type": "table"}
    if caption:
        known["table_caption"] = caption
    return ParagraphPayload(f"{caption}\n{table}" if caption else table, None, known)
