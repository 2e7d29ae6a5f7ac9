"""Group the lines of a region into visual rows of cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line

MARKER = re.compile(
    r"(?:[•●▪■◦‣·○□➢➤✓∙*–—-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2}){1,3}\.?)\Z"
)
_LEADING_SIGN = re.compile(r"(?:US|C|A)?[$€£¥]\Z")
_TRAILING_SIGN = re.compile(r"[)%*†‡]+\Z|\)%\Z")
_FIGURE = re.compile(r"[~<>≤≥±+\-−–—(]*\s*\d[\d.,]*\s*[%)x×]*\Z|[—–-]\Z")
_WIDEST_WORD_GAP_EM = 1.0
_WIDEST_FIGURE_GAP_EM = 0.4
_SLANTED_HEIGHT_EM = 2.5
_WIDEST_MARKER_GAP_EM = 4.0


def visual_rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines as rows from top to bottom, each with its cells from left to right.

    Lines with close vertical centres share a row. Neighbours separated by a word gap only are one cell, as are a list
    marker and its text, a currency sign and its number, and a number and its percent sign.
    """
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.box.y0 + line.box.y1, line.box.x0)):
        if rows and _shares_row(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [_row_cells(row) for row in rows]


def joined_line(cells: Sequence[Line], separator: str = " ") -> Line:
    """Return one line of all `cells`, with their texts joined by `separator`."""
    if len(cells) == 1:
        return cells[0]
    box = bounding_box(cells)
    bold = all(cell.bold for cell in cells)
    text = separator.join(cell.text for cell in cells)
    italic = all(cell.italic for cell in cells)
    mixed = any(cell.mixed for cell in cells) or (not bold and any(cell.bold for cell in cells))
    return Line(text, box, max(cell.size for cell in cells), bold, cells[0].block, italic, cells[0].raised, mixed)


def bounding_box(cells: Sequence[Line]) -> Box:
    """Return the bounding box of all `cells`."""
    boxes = [cell.box for cell in cells]
    return Box(
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )


def _shares_row(row: Sequence[Line], line: Line) -> bool:
    middle = (line.box.y0 + line.box.y1) / 2
    last = row[-1].box
    own = (last.y0 + last.y1) / 2
    return abs(middle - own) < 0.4 * min(last.height, line.box.height)


def _row_cells(row: Sequence[Line]) -> list[Line]:
    cells: list[Line] = []
    for line in sorted(row, key=lambda line: line.box.x0):
        if cells and _is_same_cell(cells[-1], line):
            gap = line.box.x0 - cells[-1].box.x1
            cells[-1] = joined_line([cells[-1], line], " " if gap > 0.12 * line.size else "")
        else:
            cells.append(line)
    return _with_attached_signs(cells)


def _is_same_cell(cell: Line, line: Line) -> bool:
    gap = line.box.x0 - cell.box.x1
    em = max(cell.size, line.size)
    if _is_slanted(cell) or _is_slanted(line) or (_LEADING_SIGN.match(line.text) and _FIGURE.search(cell.text)):
        return False
    if _FIGURE.match(cell.text) and _FIGURE.match(line.text):
        return gap < _WIDEST_FIGURE_GAP_EM * em
    return gap < _WIDEST_WORD_GAP_EM * em or (MARKER.match(cell.text) is not None and gap < _WIDEST_MARKER_GAP_EM * em)


def _is_slanted(line: Line) -> bool:
    """Return whether a line is slanted, like headers of narrow columns: its box is much taller than its font size."""
    return line.box.height > _SLANTED_HEIGHT_EM * line.size and len(line.text) > 1


def _with_attached_signs(cells: Sequence[Line]) -> list[Line]:
    """Return the cells with "$" joined to the following number and ")" or "%" to the preceding one."""
    joined: list[Line] = []
    for cell in cells:
        if joined and _LEADING_SIGN.match(joined[-1].text):
            joined[-1] = joined_line([joined[-1], cell])
        elif joined and _TRAILING_SIGN.match(cell.text):
            joined[-1] = joined_line([joined[-1], cell], "")
        else:
            joined.append(cell)
    return joined
