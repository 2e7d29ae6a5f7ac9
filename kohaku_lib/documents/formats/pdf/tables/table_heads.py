"""Merge header rows, repeating headers over several columns in each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.documents.formats.pdf.tables.rules import ruled_spans
from kohaku_lib.documents.formats.pdf.tables.table_columns import Columns, column_of
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line

_UNDERLINE_PT = 5.0
_CENTRED_SHARE, _TILE_SHARE = 0.2, 0.4  # of the step from column to column
_PERIOD = re.compile(
    r"(?:.*\b(?:years?|quarters?|months?|weeks?|periods?)\b.*\bend(?:ed|ing)\b|(?:as of|at)\b)|\w+ \d{1,2},?\Z", re.I
)


def merge_headers(rows: Sequence[Sequence[Line]], columns: Columns, rules: Sequence[Box] = ()) -> list[str]:
    """Return the header of every column: the distinct texts above it from top to bottom; "" without `rows`.

    A text covers several columns if a rule below it spans them, if it extends over them, or if it is centred between
    them.
    """
    heads: list[list[str]] = [[] for _ in columns.spans]
    for row in rows:
        groups = _equal_groups(row, columns)
        for position, cell in enumerate(row):
            for column in groups.get(position) or _columns_under(cell, position, row, columns, rules):
                if cell.text not in heads[column]:
                    heads[column].append(cell.text)
    return [" ".join(texts) for texts in heads]


def _equal_groups(row: Sequence[Line], columns: Columns) -> dict[int, list[int]]:
    """Return the columns below every cell by its position if the cells cover equally large groups, else {}."""
    cells = [(position, cell.box) for position, cell in enumerate(row) if column_of(cell.box, columns, position)]
    centres = [_span_centre(span) for span in columns.spans]
    for size in range(2, (len(centres) - 1) // len(cells) + 1) if len(cells) > 1 else ():
        first = len(centres) - size * len(cells)
        groups = [list(range(first + size * at, first + size * (at + 1))) for at in range(len(cells))]
        step = (centres[-1] - centres[first]) / (len(centres) - 1 - first)
        apart = [
            abs((centres[group[0]] + centres[group[-1]]) / 2 - (box.x0 + box.x1) / 2)
            for group, (_, box) in zip(groups, cells, strict=True)
        ]
        if max(apart) < _TILE_SHARE * step:
            return {position: group for group, (position, _) in zip(groups, cells, strict=True)}
    return {}


def _columns_under(
    cell: Line, position: int, row: Sequence[Line], columns: Columns, rules: Sequence[Box]
) -> Sequence[int]:
    own = column_of(cell.box, columns, position)
    if own == 0:
        return [0]
    others = [other.box for other in row if other is not cell]
    free = [
        column
        for column in range(1, len(columns.spans))
        if not any(box.x0 < _span_centre(columns.spans[column]) < box.x1 for box in others)
    ]
    underlined = _columns_above_rule(cell.box, columns, rules)
    reached = [column for column in free if cell.box.x0 <= _span_centre(columns.spans[column]) <= cell.box.x1]
    if underlined:
        return underlined
    centred = _columns_around_centre(cell, columns, free)
    if len(reached) > 1:
        return max(reached, centred, key=len)
    return centred or [own]


def _columns_above_rule(box: Box, columns: Columns, rules: Sequence[Box]) -> list[int]:
    middle = (box.x0 + box.x1) / 2
    for spans in ruled_spans(rules, box.y1 - 1, box.y1 + _UNDERLINE_PT).values():
        for start, end in spans:
            if start <= middle <= end and start > columns.spans[0][0] + _UNDERLINE_PT:
                return [
                    place for place, span in enumerate(columns.spans) if place and start <= _span_centre(span) <= end
                ]
    return []


def _columns_around_centre(cell: Line, columns: Columns, free: Sequence[int]) -> list[int]:
    """Return the neighbouring columns on which the cell is centred, [] if it covers a single one."""
    middle = (cell.box.x0 + cell.box.x1) / 2
    centres = [_span_centre(span) for span in columns.spans]
    for first in free:
        for last in (column for column in free if column > first):
            run = list(range(first, last + 1))
            step = (centres[last] - centres[first]) / (last - first)
            halved = len(run) % 2 == 0 or _PERIOD.match(cell.text) is not None
            whole = len(run) == 2 or len(run) == len(free)
            if (
                halved
                and whole
                and abs((centres[first] + centres[last]) / 2 - middle) < _CENTRED_SHARE * step
                and set(run) <= set(free)
            ):
                return run
    return []


def _span_centre(span: tuple[float, float]) -> float:
    return (span[0] + span[1]) / 2
