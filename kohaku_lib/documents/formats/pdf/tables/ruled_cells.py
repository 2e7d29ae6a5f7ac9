"""Fill the cells of a ruled grid: resolve merged cells and split cells that contain several rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from kohaku_lib.documents.formats.pdf.tables.tables import PageTable, is_amount
from kohaku_lib.documents.formats.pdf.text.page_text import Box, normalised_text

_WIDEST_BLANK_SHARE = 0.45  # of a word's height
_LEADERS = re.compile(r"\s*(?:\.\s?){3,}|\s\.\.\Z")
_LEAST_SHARE_OF_COLUMNS = 0.6
_LEAST_FILLED_SHARE = 0.3
_LONGEST_FIGURE = 24
_LARGEST_CELL_CHARACTERS = 1500
_LARGEST_MEAN_CHARACTERS = 200

Cell = list[tuple[float, str]]  # the lines of a cell: vertical centre and text
HasEdge = Callable[[int, int], bool]


def grid_table(
    xs: Sequence[float], ys: Sequence[float], words: Sequence[Any], beside: HasEdge, beneath: HasEdge
) -> PageTable | None:
    """Return the table of a grid with edges at `xs` and `ys`, None if it contains prose or little text.

    `beside(row, column)` returns whether a rule separates the cell from its right neighbour, `beneath` from the one
    below. A merged cell is repeated in all its columns and rows; a first row over all columns is the title. Header rows
    are merged. Rows without rules between them are split by their baselines.
    """
    cells = _lines_by_cell(xs, ys, words)
    beside = _with_gaps(cells, words, xs, ys, beside)
    title = ""
    if len(cells) > 2 and _spans_all(cells[0], beside, 0):
        title, cells, ys, beside, beneath = (
            _cell_text(_concatenate_cells(cells[0])),
            cells[1:],
            ys[1:],
            _shifted_down(beside),
            _shifted_down(beneath),
        )
    rows = [_expand_merged_cells(row, place, beside) for place, row in enumerate(cells)]
    _fill_down(rows, beneath)
    heads = _count_header_rows(cells, beside, beneath)
    head = [
        " ".join(dict.fromkeys(filter(None, column)))
        for column in zip(*(map(_cell_text, row) for row in rows[:heads]), strict=True)
    ]
    body = [part for place in range(heads, len(rows)) for part in _split_rows(rows[place], ys[place], ys[place + 1])]
    if any(is_amount(cell) for cell in head[1:]) and heads == 1:
        head, body = [""] * len(head), [(list(map(_cell_text, rows[0])), ys[0], ys[1]), *body]
    return _checked_table(title, [(head, ys[0], ys[heads]), *body], xs, Box(xs[0], ys[0], xs[-1], ys[-1]))


def _lines_by_cell(xs: Sequence[float], ys: Sequence[float], words: Sequence[Any]) -> list[list[Cell]]:
    cells: list[list[Cell]] = [[[] for _ in xs[1:]] for _ in ys[1:]]
    last: dict[tuple[int, int], tuple[int, int]] = {}  # the text line of the last word added to a cell
    for word in sorted(words, key=lambda word: word[5:8]):
        middle = (word[1] + word[3]) / 2
        column, row = _interval_index((word[0] + word[2]) / 2, xs), _interval_index(middle, ys)
        if column is None or row is None:
            continue
        cell = cells[row][column]
        if last.get((row, column)) == (word[5], word[6]):
            cell[-1] = cell[-1][0], f"{cell[-1][1]} {word[4]}"
        else:
            cell.append((middle, word[4]))
            last[row, column] = word[5], word[6]
    return cells


def _with_gaps(
    cells: Sequence[Sequence[Cell]], words: Sequence[Any], xs: Sequence[float], ys: Sequence[float], beside: HasEdge
) -> HasEdge:
    """Return `beside` extended to filled neighbours without a word across their edge, whose rule is missing."""
    crossed = {
        (row, column)
        for word, following in pairwise([*sorted(words, key=lambda word: word[5:8]), (0.0,) * 8])
        for column, edge in enumerate(xs[1:-1])
        if word[0] + 1 < edge < word_end(word, following) - 1
        and (row := _interval_index((word[1] + word[3]) / 2, ys)) is not None
    }

    def is_parted(row: int, column: int) -> bool:
        filled = bool(cells[row][column]) and bool(cells[row][column + 1])
        joined = any((row, at) in crossed for at in range(len(xs) - 2))
        return beside(row, column) or (filled and not joined)

    return is_parted


def word_end(word: Any, following: Any) -> float:
    """Return the end of a word, or of the next one in its line if only a space separates the two."""
    blank = following[0] - word[2] < _WIDEST_BLANK_SHARE * (word[3] - word[1])
    return following[2] if blank and word[5:7] == following[5:7] else word[2]


def _interval_index(value: float, edges: Sequence[float]) -> int | None:
    return next((place for place in range(len(edges) - 1) if edges[place] <= value < edges[place + 1]), None)


def _cell_text(cell: Cell) -> str:
    return _LEADERS.sub(" ", normalised_text(" ".join(text for _, text in cell))).strip()


def _shifted_down(has_edge: HasEdge) -> HasEdge:
    return lambda row, column: has_edge(row + 1, column)


def _spans_all(row: Sequence[Cell], beside: HasEdge, place: int) -> bool:
    return any(row) and not any(beside(place, column) for column in range(len(row) - 1))


def _expand_merged_cells(row: Sequence[Cell], place: int, beside: HasEdge) -> list[Cell]:
    """Return the row with merged cells repeated in each column; one over all columns is only in the first."""
    if _spans_all(row, beside, place):
        return [_concatenate_cells(row), *([] for _ in row[1:])]
    spread: list[Cell] = []
    start = 0
    for column in range(len(row)):
        if column == len(row) - 1 or beside(place, column):
            merged = row[start] if start == column else _concatenate_cells(row[start : column + 1])
            spread.extend(list(merged) for _ in range(start, column + 1))
            start = column + 1
    return spread


def _concatenate_cells(cells: Sequence[Cell]) -> Cell:
    """Return the lines of neighbouring cells as one cell, with pieces of a line from left to right."""
    return sorted((line for cell in cells for line in cell), key=lambda line: round(line[0] / 2))


def _fill_down(rows: list[list[Cell]], beneath: HasEdge) -> None:
    """Repeat a cell merged over several rows in each of them, in place."""
    for column in range(len(rows[0])):
        start = 0
        for place in range(len(rows)):
            if place < len(rows) - 1 and not beneath(place, column):
                continue
            texts = [row[column] for row in rows[start : place + 1] if row[column]]
            if len(texts) == 1:
                for row in rows[start : place + 1]:
                    row[column] = texts[0]
            start = place + 1


def _count_header_rows(cells: Sequence[Sequence[Cell]], beside: HasEdge, beneath: HasEdge) -> int:
    """Return the number of header rows: more than one if a header cell spans columns or rows."""
    count, columns = 1, range(len(cells[0]))
    while count < len(cells) - 1:
        parts = any(
            not beside(count - 1, column) and (cells[count - 1][column] or cells[count - 1][column + 1])
            for column in columns[:-1]
        )
        reaches = any(not beneath(count - 1, column) for column in columns)
        filled = [text for cell in cells[count][1:] if (text := _cell_text(cell))]
        amounts = sum(map(is_amount, filled))
        if (amounts and 2 * amounts >= len(filled)) or not (parts or reaches):
            break
        count += 1
    return count


def _split_rows(row: Sequence[Cell], top: float, bottom: float) -> list[tuple[list[str], float, float]]:
    """Return the text rows inside one grid row: as many as the lines shared by columns of numbers."""
    several = [cell for cell in row if len(cell) > 1]
    starts = _row_starts(several) if len(several) > 1 else []
    if len(starts) < 2:
        return [(list(map(_cell_text, row)), top, bottom)]
    first_several = next(place for place, cell in enumerate(row) if len(cell) > 1)
    edges = [top, *(y - 1 for y in starts[1:]), bottom]
    return [
        (
            [_cell_part(cell, place < first_several, edges[at], edges[at + 1]) for place, cell in enumerate(row)],
            edges[at],
            edges[at + 1],
        )
        for at in range(len(starts))
    ]


def _row_starts(cells: Sequence[Cell]) -> list[float]:
    """Return the vertical centres of lines shared by most `cells` if a cell has a number on each of them, else []."""
    middles: list[float] = []
    for y, _ in sorted(line for cell in cells for line in cell):
        if not middles or y - middles[-1] > 2:
            middles.append(y)
    least = max(2, _LEAST_SHARE_OF_COLUMNS * len(cells))
    starts = [y for y in middles if sum(_line_at(cell, y) != "" for cell in cells) >= least]
    numbered = any(all(_is_figure(_line_at(cell, y)) for y in starts) for cell in cells)
    return starts if numbered else []


def _is_figure(text: str) -> bool:
    return len(text) <= _LONGEST_FIGURE and any(character.isdigit() for character in text)


def _line_at(cell: Cell, y: float) -> str:
    return _cell_text([line for line in cell if abs(line[0] - y) <= 2])


def _cell_part(cell: Cell, is_label: bool, top: float, bottom: float) -> str:
    if is_label and len(cell) == 1:
        return _cell_text(cell)
    return _cell_text([line for line in cell if top <= line[0] < bottom])


def _checked_table(
    title: str, parts: Sequence[tuple[list[str], float, float]], edges: Sequence[float], box: Box
) -> PageTable | None:
    filled_parts = [part for place, part in enumerate(parts) if place == 0 or any(part[0])]
    columns = [column for column in range(len(parts[0][0])) if any(texts[column] for texts, _, _ in filled_parts)]
    rows = tuple(tuple(texts[column] for column in columns) for texts, _, _ in filled_parts)
    texts = [cell for row in rows for cell in row]
    filled = [text for text in texts if text]
    if len(rows) < 2 or len(columns) < 2 or max(map(len, texts)) > _LARGEST_CELL_CHARACTERS:
        return None
    if not any(character.isalpha() for text in filled for character in text):
        return None  # the totals of a table with rules below its numbers only
    if len(filled) < _LEAST_FILLED_SHARE * len(texts) or sum(map(len, filled)) > _LARGEST_MEAN_CHARACTERS * len(filled):
        return None
    row_boxes = tuple(Box(box.x0, top, box.x1, bottom) for _, top, bottom in filled_parts)
    return PageTable(rows, box, row_boxes, title, tuple(edges))
