"""Determine the columns of a table of aligned numbers and assign cells to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.documents.formats.pdf.tables.rules import ruled_spans
from kohaku_lib.documents.formats.pdf.tables.tables import STRAY_SIGN, is_amount, is_number
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line

Span = tuple[float, float]

_ABOVE_PT = 40.0  # maximum distance of header rules above the first row of numbers

_MOST_WORD_COLUMNS = 2  # between the labels and the first number
_LABEL_PT, _SLACK_PT, _INDENT_PT = 12.0, 2.0, 25.0


@dataclass(frozen=True, slots=True)
class Columns:
    """The x intervals of the columns from left to right; the first column contains the labels."""

    spans: tuple[Span, ...]


def columns_of(rows: Sequence[Sequence[Line]], rules: Sequence[Box], box: Box) -> Columns:
    """Return the columns of rows that contain numbers.

    Each x interval shared by numbers, or by words beside them, is a column; if there is one rule per column below the
    headers, the rules define the intervals.
    """
    numbers = [cell for row in rows for cell in row[1:] if is_number(cell.text)]
    amounts = [cell for cell in numbers if is_amount(cell.text)] or numbers
    bands = _merge_spans([(cell.box.x0, cell.box.x1) for cell in amounts])
    if not bands:
        return Columns(())
    words = [cell for row in rows for cell in row[1:] if not is_number(cell.text)]
    free = [
        (cell.box.x0, cell.box.x1)
        for cell in words
        if not any(_span_overlap((cell.box.x0, cell.box.x1), band) > 0 for band in bands)
    ]
    label = min(row[0].box.x0 for row in rows)
    spans = _spans_by_rules(rows, rules, box) or sorted([*bands, *_merge_spans(free)])
    return Columns(((label, label + 1), *(span for span in spans if span[0] > label + 1)))


def place_row(row: Sequence[Line], columns: Columns) -> list[str]:
    """Return the texts of `row` by column; a trailing currency sign of a cell is moved to the next one."""
    cells = [""] * len(columns.spans)
    carried = ""
    for position, line in enumerate(row):
        column = column_of(line.box, columns, position)
        stray = STRAY_SIGN.match(line.text)
        text = carried + (stray[1] if stray else line.text)
        carried = stray[2] + " " if stray else ""
        cells[column] = f"{cells[column]} {text}".strip()
    return cells


def column_of(box: Box, columns: Columns, position: int) -> int:
    """Return the index of the column that contains `box`.

    The first cell of a row that begins left of the first column of numbers is a label, unless it is indented and mostly
    above that column, or begins nearer to it and overlaps it.
    """
    (label, _), first = columns.spans[:2]
    above = _span_overlap((box.x0, box.x1), first)
    is_near = above > 0 and box.x0 > (label + first[0]) / 2
    is_above = box.x0 > label + _INDENT_PT and (is_near or above >= box.width / 2)
    if position == 0 and box.x0 < first[0] - 1 and not is_above:
        return 0
    overlaps = [_span_overlap((box.x0, box.x1), span) for span in columns.spans[1:]]
    return max(range(len(overlaps)), key=overlaps.__getitem__) + 1


def _merge_spans(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def _span_overlap(a: Span, b: Span) -> float:
    return min(a[1], b[1]) - max(a[0], b[0])


def _spans_by_rules(rows: Sequence[Sequence[Line]], rules: Sequence[Box], box: Box) -> list[Span]:
    """Return the rules of one level that cover all numbers, at most one per row and rule; [] if there is none."""
    levels = ruled_spans(rules, box.y0 - _ABOVE_PT, box.y1).values()
    numbers = [[(cell.box.x0 + cell.box.x1) / 2 for cell in row[1:] if is_number(cell.text)] for row in rows]
    for spans in sorted(levels, key=len, reverse=True):
        owners = [[_span_index(x, spans) for x in row] for row in numbers]
        used = {owner for row in owners for owner in row}
        if len(used) < 2 or None in used or any(len(set(row)) < len(row) for row in owners):
            continue
        first = min(place for place in used if place is not None)
        if spans[0][0] > box.x0 + _LABEL_PT:
            return spans
        if first:
            return spans[max(1, first - _MOST_WORD_COLUMNS) :]
    return []


def _span_index(x: float, spans: Sequence[Span]) -> int | None:
    return next((place for place, (start, end) in enumerate(spans) if start - _SLACK_PT <= x <= end + _SLACK_PT), None)
