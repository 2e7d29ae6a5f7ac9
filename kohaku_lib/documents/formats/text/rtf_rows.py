r"""Keep the cells of RTF apart: their marks in the text stand for `\cell` and for what is merged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_END, _AS_LEFT, _AS_ABOVE, _INNER_END, _INNER_ROW_END = (
    "\ue011\ue012\ue013\ue014\ue015"  # of the private use area, which no text has
)
_ROW = re.compile(r"\\\\|\\(row)(?![a-z])")
_STEP = re.compile(r"\\\\|\\(trowd|par|cell)(?![a-z])")
_IN_ROW = re.compile(r"\\\\|\\(cell|nestcell|line|par)(?![a-z]) ?")
_DEFINITION = re.compile(r"\\(clmrg|clvmrg|cellx|cell|nestcell)(?![a-z])")
_INNER_ROW = re.compile(r"\{\\\*\\nesttableprops[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")


def with_marked_rows(text: str) -> str:
    """Write a mark behind each cell, so that every row becomes a line; paragraphs of cells are joined by blanks.

    A table within a cell is text of it: its rows between semicolons, their cells between commas.
    """
    pieces: list[str] = []
    merged: list[str] = []
    done = 0
    for found in _ROW.finditer(text):
        if found[1] is None:
            continue
        start = _start_of_row(text, done, found.start())
        row = text[start : found.start()]
        merged = _merged_cells(row) or merged  # a row without a definition is as the one above
        pieces += [text[done:start], *_marked(row, merged)]
        done = found.start()
    return "".join([*pieces, text[done:]])


def is_row(line: str) -> bool:
    """Return whether a line of text is the row of a table."""
    return _END in line


def grid_of(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of rows of text, of the same number in each; merged cells have the text of the first of them.

    >>> grid_of(["a\ue011b\ue011\ue012\ue011", "\ue013\ue011c\ue011"])
    [['a', 'b', 'b'], ['a', 'c', '']]
    """
    rows = [line.rpartition(_END)[0].split(_END) for line in lines]
    width = max(map(len, rows))
    grid: list[list[str]] = []
    for row in rows:
        cells: list[str] = []
        for place, text in enumerate([*row, *[""] * (width - len(row))]):
            left, above = cells[-1] if cells else "", grid[-1][place] if grid else ""
            cells.append(left if _AS_LEFT in text else above if _AS_ABOVE in text else _with_inner_rows(text))
        grid.append(cells)
    return grid


def _with_inner_rows(text: str) -> str:
    rows = ([" ".join(cell.split()) for cell in row.split(_INNER_END)] for row in text.split(_INNER_ROW_END))
    return "; ".join(filter(None, (", ".join(filter(None, row)) for row in rows)))


def _start_of_row(text: str, begin: int, end: int) -> int:
    """Return where the row begins that ends at `end`: with its definition, else behind the paragraph above its first cell."""
    start = begin
    for found in _STEP.finditer(text, begin, end):
        if found[1] == "trowd":
            return found.start()
        if found[1] == "cell":
            return start
        if found[1] == "par":
            start = found.end()
    return end


def _marked(row: str, merged: Sequence[str]) -> Iterator[str]:
    number, done = 0, 0
    row = _INNER_ROW.sub(f"{{}}{_INNER_ROW_END}", row)
    for found in _IN_ROW.finditer(row):
        if found[1] is None:
            continue
        yield row[done : found.start()]
        if found[1] == "cell":
            yield f"{{}}{merged[number] if number < len(merged) else ''}{_END}"  # {}: no stand-in for a sign of Unicode
            number += 1
        else:
            yield f"{{}}{_INNER_END}" if found[1] == "nestcell" else r"\emspace "
        done = found.end()
    yield row[done:]


def _merged_cells(row: str) -> list[str]:
    """Return a mark for each cell that goes on with the one beside or above it, "" for others."""
    marks, mark = [], ""
    for found in _DEFINITION.finditer(row):
        if found[1] in {"cell", "nestcell"}:  # the definition may stand behind the cells again
            break
        if found[1] == "cellx":
            marks.append(mark)
            mark = ""
        else:
            mark = _AS_LEFT if found[1] == "clmrg" else _AS_ABOVE
    return marks
