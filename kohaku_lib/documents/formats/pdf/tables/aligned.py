"""Detect tables without rules by the alignment of their numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kohaku_lib.documents.formats.pdf.blocks import CAPTION
from kohaku_lib.documents.formats.pdf.tables.rows import bounding_box
from kohaku_lib.documents.formats.pdf.tables.rules import ruled_spans
from kohaku_lib.documents.formats.pdf.tables.table_columns import Columns, columns_of, place_row
from kohaku_lib.documents.formats.pdf.tables.table_heads import merge_headers
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable, is_amount, is_number
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line

_LONGEST_HEAD = 60
_HEAD_PT = 60.0  # maximum height of the header above the first number
_EDGE_PT = 12.0
_INDENT_PT = 25.0
_LONGEST_LABEL_ROWS = 3
_LONGEST_LABEL = 200
_WIDEST_GAP_LINES = 3.0
_LEAST_LETTERED_SHARE = 0.12
_LEAST_CONTENTS_ROWS = 5
_PERIOD = re.compile(r"\(|.*\b(?:years?|months?|quarters?|weeks?|period|ended|december|june|as of|in millions)\b", re.I)
_PAGE = re.compile(r"\d{1,4}\Z")
_CONTINUATION = re.compile(r"[a-z(&,]")
_LINKING = re.compile(r"(?:\b(?:and|of|the|for|in|to|on|by|from|with|or|attributable|per|less)|[,&—–-])\Z", re.I)
_GROUP_LABEL = re.compile(r"(?::|\bof which)\Z")
_WIDEST_STEP_LINES = 1.0


def find_aligned_tables(rows: Sequence[Sequence[Line]], rules: Sequence[Box] = ()) -> list[tuple[int, int, PageTable]]:
    """Return (first row, end row (exclusive), table) of every run of rows with columns of numbers.

    A run begins and ends with a row of at least two cells with a number in any but the first; up to three rows of one
    short cell (continued labels, group headings) may be in between. It includes the column headers above it and ends
    before the headers of another table. Runs with fewer than three number rows (two if there are at least three
    columns) and tables of contents are not tables. `rules` are those drawn on the page.
    """
    tables: list[tuple[int, int, PageTable]] = []
    start = 0
    while start < len(rows):
        if not _has_numbers(rows[start]):
            start += 1
            continue
        end = _end_of_run(rows, start)
        start_and_table = _table_of_run(rows, start, end, tables[-1][1] if tables else 0, rules)
        if start_and_table is not None:
            tables.append((start_and_table[0], end, start_and_table[1]))
        start = end
    return tables


def _has_numbers(row: Sequence[Line]) -> bool:
    return len(row) > 1 and any(is_number(cell.text) for cell in row[1:])


def _has_amounts(row: Sequence[Line]) -> bool:
    return len(row) > 1 and any(is_amount(cell.text) for cell in row[1:])


def _end_of_run(rows: Sequence[Sequence[Line]], start: int) -> int:
    end = index = start + 1
    seen = _has_amounts(rows[start])
    while index < len(rows) and index - end <= _LONGEST_LABEL_ROWS and _is_near(rows[index - 1], rows[index]):
        if seen and _opens_table(rows, index, end - 1):
            break
        if _has_numbers(rows[index]):
            end = index + 1
        elif sum(len(cell.text) for row in rows[end : index + 1] for cell in row) > _LONGEST_LABEL:
            break
        seen = seen or _has_amounts(rows[index])
        index += 1
    return end


def _opens_table(rows: Sequence[Sequence[Line]], index: int, last: int) -> bool:
    """Return whether a row below the numbers of row `last` is a header row: without amounts and styled as a header."""
    row = rows[index]
    if len(row) < 2 or any(is_amount(cell.text) for cell in row):
        return False
    cells = row[1:]
    words = sum(any(c.isalpha() for c in cell.text) and not is_number(cell.text) for cell in row)
    bold = all(cell.bold for cell in cells) and not all(cell.bold for cell in rows[last][1:])
    years = all(is_number(cell.text) for cell in cells)
    return (bold and words + years > 0) or words > 2 or (years and _PERIOD.match(row[0].text) is not None)


def _is_near(above: Sequence[Line], below: Sequence[Line]) -> bool:
    return below[0].box.y0 - above[0].box.y1 < _WIDEST_GAP_LINES * below[0].box.height


def _first_header_row(
    rows: Sequence[Sequence[Line]], start: int, floor: int, columns: Columns, whole: Sequence[float]
) -> int:
    """Return the index of the first header row above row `start`, at most up to the second of the `whole` rules.

    Up to three labels ("Assets", "Current assets:") may be between the headers and the numbers.
    """
    first, index, crossed = start, start, 0
    while index > floor and _is_near(rows[index - 1], rows[index]):
        crossed += _is_between(whole, rows[index - 1], rows[index])
        is_head = _is_header_row(rows[index - 1], columns)
        is_label = first == start and start - index < _LONGEST_LABEL_ROWS and _is_label(rows[index - 1], columns)
        if crossed > 1 or not (is_head or is_label):
            break
        index -= 1
        first = index if is_head else first
    return first


def _is_between(levels: Sequence[float], above: Sequence[Line], below: Sequence[Line]) -> bool:
    return any(above[0].box.y1 - 3 <= y <= below[0].box.y0 + 3 for y in levels)


def _whole_rules(rules: Sequence[Box], box: Box) -> list[float]:
    """Return the y of the rules that span the full width of a table, including those well above it."""
    levels = ruled_spans(rules, box.y0 - _HEAD_PT, box.y1)
    return [
        y for y, spans in levels.items() if any(a <= box.x0 + _EDGE_PT and b >= box.x1 - _EDGE_PT for a, b in spans)
    ]


def _is_header_row(row: Sequence[Line], columns: Columns) -> bool:
    if any(len(cell.text) > _LONGEST_HEAD for cell in row) or CAPTION.match(row[0].text):
        return False
    label, left = columns.spans[0][0], columns.spans[1][0]
    box = row[0].box
    return len(row) > 1 or (box.x1 > left and box.x0 > (label + left) / 2)


def _is_label(row: Sequence[Line], columns: Columns) -> bool:
    cell = row[0]
    return len(row) == 1 and len(cell.text) <= _LONGEST_HEAD and cell.box.x0 < columns.spans[0][0] + _INDENT_PT


def _table_of_run(
    rows: Sequence[Sequence[Line]], start: int, end: int, floor: int, rules: Sequence[Box]
) -> tuple[int, PageTable] | None:
    """Return the first row and the table of a run, None if it is not a table."""
    number_rows = [row for row in rows[start:end] if _has_numbers(row)]
    box = bounding_box([cell for row in rows[start:end] for cell in row])
    rules = [rule for rule in rules if box.y0 - _HEAD_PT <= rule.y1 and rule.y0 <= box.y1]
    columns = columns_of(number_rows, rules, box)
    least = 3 if len(columns.spans) < 3 else 2
    if len(number_rows) < least or len(columns.spans) < 2 or _is_contents(number_rows, columns):
        return None
    whole = _whole_rules(rules, box)
    first = _first_header_row(rows, start, floor, columns, whole)
    cells = [cell for row in rows[first:end] for cell in row]
    if sum(any(c.isalpha() for c in cell.text) for cell in cells) < _LEAST_LETTERED_SHARE * len(cells):
        return None
    return first, _build_table(rows[first:end], columns, rules, whole)


def _build_table(
    rows: Sequence[Sequence[Line]], columns: Columns, rules: Sequence[Box], whole: Sequence[float]
) -> PageTable:
    count = _count_header_rows(rows, columns, whole)
    head = merge_headers(rows[:count], columns, rules)
    body = join_wrapped_rows([BodyRow(place_row(row, columns), bounding_box(row)) for row in rows[count:]])
    box = bounding_box([cell for row in rows for cell in row])
    head_box = bounding_box([cell for row in rows[:count] for cell in row]) if count else body[0].box
    grid = [head, *(row.cells for row in body)]
    filled = [column for column in range(len(head)) if any(row[column] for row in grid)]
    texts = tuple(tuple(row[column] for column in filled) for row in grid)
    return PageTable(texts, box, (head_box, *(row.box for row in body)))


def _count_header_rows(rows: Sequence[Sequence[Line]], columns: Columns, whole: Sequence[float]) -> int:
    """Return the number of leading rows without amounts; a label below column headers is part of the body."""
    count, has_heads = 0, False
    while count < len(rows) and not _has_amounts(rows[count]):
        own = any(place_row(rows[count], columns)[1:])
        if has_heads and (not own or _is_between(whole, rows[count - 1], rows[count])):
            break
        has_heads = has_heads or own
        count += 1
    return count if count < len(rows) else 0


def _is_contents(rows: Sequence[Sequence[Line]], columns: Columns) -> bool:
    """Return whether the rows are a table of contents: titles with (mostly) ascending page numbers."""
    if len(rows) < _LEAST_CONTENTS_ROWS or len(columns.spans) > 3:
        return False
    last = [row[-1].text for row in rows]
    if not all(_PAGE.match(text) for text in last):
        return False
    pages = [int(text) for text in last]
    rises = sum(before <= after for before, after in pairwise(pages))
    return rises >= 0.9 * (len(pages) - 1) and pages[0] < pages[-1]


@dataclass(frozen=True, slots=True)
class BodyRow:
    """The cells of a row by column, and its box."""

    cells: list[str]
    box: Box


def join_wrapped_rows(rows: Sequence[BodyRow]) -> list[BodyRow]:
    """Return the rows with wrapped labels and words joined.

    A line without numbers continues in the next one if that begins with a lower-case letter or it ends with a linking
    word; a line of words without a label continues the row above.
    """
    whole_rows: list[BodyRow] = []
    for row in rows:
        if whole_rows and _continues_row(whole_rows[-1], row):
            cells = [" ".join(filter(None, pair)) for pair in zip(whole_rows[-1].cells, row.cells, strict=True)]
            whole_rows[-1] = BodyRow(cells, whole_rows[-1].box | row.box)
        else:
            whole_rows.append(row)
    return whole_rows


def _continues_row(above: BodyRow, row: BodyRow) -> bool:
    if row.box.y0 - above.box.y1 > _WIDEST_STEP_LINES * row.box.height:
        return False
    if any(map(is_number, above.cells[1:])) and any(map(is_number, row.cells[1:])):
        return False
    label, next_label = above.cells[0], row.cells[0]
    if not next_label:
        return all(
            not cell or (cell_above and not is_number(cell_above))
            for cell, cell_above in zip(row.cells, above.cells, strict=True)
        )
    if any(row.cells[1:]) and any(above.cells[1:]):
        return False
    return (
        bool(label)
        and (_CONTINUATION.match(next_label) is not None or _LINKING.search(label) is not None)
        and _GROUP_LABEL.search(label) is None
    )
