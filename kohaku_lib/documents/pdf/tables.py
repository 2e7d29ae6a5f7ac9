"""Tables without rules, found by the alignment of their numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.documents.pdf.page_text import Box, Line
from kohaku_lib.documents.pdf.rows import joined_line

_NUMBER = re.compile(
    r"(?:[~≈<>≤≥±+\-−–—\ufffd(]|US\$|[$€£¥])*\s*\d[\d,.\s]*(?:[%)xX×*†‡]|[a-z]{1,3}\b|\^\d+|\s*±\s*[\d.]+)*\Z"
    r"|[—–−-]{1,2}\s*%?\)?\Z|(?:N/?A|n/?a|N\.M\.|nm|NM|✓|✗|×|Yes|No)\Z"
)
_YEAR = re.compile(r"(?:FY)?\s*(?:19|20)\d\d[*A-Z]?\Z")
_STRAY_SIGN = re.compile(r"(.*\S)\s+((?:US)?[$€£¥])\Z")
_LONGEST_NUMBER = 24
_LONGEST_HEAD = 60
_LONGEST_LABEL_ROWS = 3
_LONGEST_LABEL = 200
_WIDEST_GAP_LINES = 3.0
_LEAST_LETTERED_SHARE = 0.12


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a table, row by row, all rows of equal length, and its place."""

    rows: tuple[tuple[str, ...], ...]
    box: Box


def find_aligned_tables(rows: Sequence[Sequence[Line]]) -> list[tuple[int, int, Table]]:
    """Return (first row, row after the last, table) for every run of rows that holds columns of numbers.

    A run begins and ends with a row of two or more cells of which one but the first is a number; up to three
    rows of one short cell (labels that go on, group heads) may lie between. It takes in the column heads above.
    Runs with fewer than three number rows (two where there are three columns or more) are no table.
    """
    found: list[tuple[int, int, Table]] = []
    start = 0
    while start < len(rows):
        if not _has_numbers(rows[start]):
            start += 1
            continue
        end = _end_of_run(rows, start)
        first = _first_head(rows, start, found[-1][1] if found else 0)
        table = _table(rows[first:end])
        if table is not None:
            found.append((first, end, table))
        start = end
    return found


def markdown_rows(rows: Sequence[Sequence[str]]) -> str:
    r"""Return the rows as a Markdown table; the first is its head.

    >>> print(markdown_rows([["Year", "kWh"], ["2023", "4|5"]]))
    | Year | kWh |
    | --- | --- |
    | 2023 | 4\|5 |
    """
    lines = ["| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _escaped(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "\\|")


def _is_number(text: str) -> bool:
    return len(text) <= _LONGEST_NUMBER and _NUMBER.match(text) is not None


def _has_numbers(row: Sequence[Line]) -> bool:
    return len(row) > 1 and any(_is_number(_without_sign(cell.text)) for cell in row[1:])


def _without_sign(text: str) -> str:
    match = _STRAY_SIGN.match(text)
    return match[1] if match else text


def _end_of_run(rows: Sequence[Sequence[Line]], start: int) -> int:
    end = start + 1
    index = end
    while index < len(rows) and index - end <= _LONGEST_LABEL_ROWS and _is_near(rows[index - 1], rows[index]):
        if _has_numbers(rows[index]):
            end = index + 1
        elif sum(len(cell.text) for row in rows[end : index + 1] for cell in row) > _LONGEST_LABEL:
            break
        index += 1
    return end


def _is_near(above: Sequence[Line], below: Sequence[Line]) -> bool:
    return below[0].box.y0 - above[0].box.y1 < _WIDEST_GAP_LINES * below[0].box.height


def _first_head(rows: Sequence[Sequence[Line]], start: int, floor: int) -> int:
    """Return the index of the first row of column heads above row `start`."""
    label_end = max(rows[start][0].box.x1, rows[start][0].box.x0 + 1)
    first = start
    while first > floor and _is_near(rows[first - 1], rows[first]) and _is_head(rows[first - 1], label_end):
        first -= 1
    return first


def _is_head(row: Sequence[Line], label_end: float) -> bool:
    if any(len(cell.text) > _LONGEST_HEAD for cell in row):
        return False
    return len(row) > 1 or row[0].box.x0 > label_end


def _table(rows: Sequence[Sequence[Line]]) -> Table | None:
    number_rows = [row for row in rows if _has_numbers(row)]
    columns = _columns(number_rows)
    least = 3 if len(columns) < 3 else 2
    cells = [cell for row in rows for cell in row]
    lettered = sum(any(c.isalpha() for c in cell.text) for cell in cells)
    if len(number_rows) < least or len(columns) < 2 or lettered < _LEAST_LETTERED_SHARE * len(cells):
        return None
    grid = _heads_joined([_placed(row, columns) for row in rows])
    filled = [column for column in range(len(columns)) if any(row[column] for row in grid)]
    box = joined_line(cells).box
    return Table(tuple(tuple(row[column] for column in filled) for row in grid), box)


def _columns(rows: Sequence[Sequence[Line]]) -> list[tuple[float, float]]:
    """Return the extents in x of the columns: the labels, then every band that cells with numbers share."""
    bands: list[tuple[float, float]] = []
    numbers = [cell for row in rows for cell in row[1:] if _is_number(_without_sign(cell.text))]
    amounts = [cell for cell in numbers if not _YEAR.match(cell.text)]
    for box in sorted((cell.box for cell in amounts or numbers), key=_left):
        if bands and box.x0 < bands[-1][1]:
            bands[-1] = bands[-1][0], max(bands[-1][1], box.x1)
        else:
            bands.append((box.x0, box.x1))
    labels = [row[0].box.x0 for row in rows]
    return [(min(labels), min(labels) + 1), *bands] if bands else []


def _left(box: Box) -> float:
    return box.x0


def _placed(row: Sequence[Line], columns: Sequence[tuple[float, float]]) -> list[str]:
    cells = [""] * len(columns)
    carried = ""
    for position, line in enumerate(row):
        column = _column_of(line.box, columns, position)
        stray = _STRAY_SIGN.match(line.text)
        text = carried + (stray[1] if stray else line.text)
        carried = stray[2] + " " if stray else ""
        cells[column] = f"{cells[column]} {text}".strip()
    return cells


def _column_of(box: Box, columns: Sequence[tuple[float, float]], position: int) -> int:
    if position == 0 and box.x0 < columns[1][0] - 1:
        return 0
    overlaps = [min(box.x1, end) - max(box.x0, start) for start, end in columns[1:]]
    best = max(range(len(overlaps)), key=overlaps.__getitem__)
    return best + 1


def _heads_joined(grid: list[list[str]]) -> list[list[str]]:
    """Return the grid with the leading rows that hold no numbers but years joined into one head."""
    count = 0
    while count < len(grid) and not any(_is_number(cell) and not _YEAR.match(cell) for cell in grid[count][1:]):
        if any(any(row[1:]) for row in grid[:count]) and not any(grid[count][1:]):
            break
        count += 1
    if count < 2 or count == len(grid):
        return grid
    head = [" ".join(filter(None, column)) for column in zip(*grid[:count], strict=True)]
    return [head, *grid[count:]]
