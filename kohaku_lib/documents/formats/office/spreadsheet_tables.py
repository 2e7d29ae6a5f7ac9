"""Convert sheet rows to text paragraphs and tables of bounded size."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeAlias

from kohaku_lib.documents.formats.office.sheet_heads import continues, head_rows, joined_heads
from kohaku_lib.documents.formats.office.side_by_side import table_columns
from kohaku_lib.documents.formats.shared.table_text import table_paragraph
from kohaku_lib.tables import ParagraphPayload

MOST_ROWS = 50  # of one table, without its header
_MOST_BLANK = 3  # rows within a table


def sheet_paragraphs(
    rows: Iterable[tuple[int, Sequence[str]]], metadata: Mapping[str, Any]
) -> Iterator[ParagraphPayload]:
    r"""Yield the paragraphs of a sheet's numbered rows: single-cell rows as text, blocks of other rows as tables.

    The first row of a block with at least two cells is its header, or the first two, or none (see `head_rows`); a
    single-cell row directly above it, or alone above the first table, is its caption. Blocks end with a blank row, but for
    those that go on with the table above (see `continues`), and stand side by side if `table_columns` says so. A block of
    more than 50 rows is split into several tables, each with the header and the number of its first row as `first_row` in
    its metadata. Rows are streamed.

    >>> rows = [["Energy use"], ["model", "MWh"], ["GPT-3", "1287"], [], ["Source: own measurement"]]
    >>> [paragraph.text for paragraph in sheet_paragraphs(enumerate(rows, start=1), {})]
    ['Energy use\n| model | MWh |\n| --- | --- |\n| GPT-3 | 1287 |', 'Source: own measurement']
    """
    above: list[_NumberedRow] = []  # of one cell
    is_top = True  # nothing was yielded yet
    is_apart = False  # a blank row follows `above`
    table: _Table | None = None
    blank = 0  # rows below the table
    numbered = iter(rows)
    for number, row in numbered:
        filled = sum(bool(cell.strip()) for cell in row)
        if filled == 0:
            blank += 1
            is_apart = is_top and len(above) == 1
            if not is_apart:
                yield from _text_paragraph(above, metadata)
                above = []
            continue
        if filled == 1:
            yield from _header_alone(table, metadata)
            table = None
            if is_apart:
                yield from _text_paragraph(above, metadata)
                above = []
            is_top, is_apart = is_top and not is_apart, False
            above.append((number, row))
            continue
        block = chain([(number, row)], _until_blank(numbered))
        chunk = list(islice(block, MOST_ROWS + 1))
        grid = [cells for _, cells in chunk]
        columns = table_columns(grid)
        if len(columns) > 1:
            yield from _header_alone(table, metadata)
            yield from _text_paragraph(above[:-1], metadata)
            together = [*above[-1:], *chunk, *block]
            for place in columns:
                yield from sheet_paragraphs([(at, cells[place]) for at, cells in together], metadata)
            table = None
        elif table is not None and blank <= _MOST_BLANK and continues(grid, table.header, table.body):
            caption = "" if table.body else table.caption
            table = yield from _table_paragraphs(table.header, chain(chunk, block), caption, metadata)
        else:
            yield from _header_alone(table, metadata)
            yield from _text_paragraph(above[:-1], metadata)
            caption = _only_text(above[-1][1]) if above else ""
            header, heads = _header_of(grid)
            table = yield from _table_paragraphs(header, chain(chunk[heads:], block), caption, metadata)
        above, is_top, is_apart, blank = [], False, False, 1
    yield from _header_alone(table, metadata)
    yield from _text_paragraph(above, metadata)


def headed_tables(
    header: Sequence[str],
    chunks: Iterable[Sequence[tuple[int, Sequence[str]]]],
    caption: str,
    metadata: Mapping[str, Any],
) -> Iterator[ParagraphPayload]:
    """Yield a table for each chunk of numbered rows, each with the header and the number of its first row.

    >>> tables = headed_tables(["bee"], [[(1, ["Ann"]), (2, ["Bo"])], [(3, ["Cleo"])]], "Bees", {})
    >>> [table.metadata["first_row"] for table in tables]
    [1, 3]
    """
    for chunk in chunks:
        width = max(len(header), *(len(row) for _, row in chunk), 0)
        grid = [[*row, *[""] * (width - len(row))] for row in (header, *(row for _, row in chunk))]
        known = {**metadata, "first_row": chunk[0][0]} if chunk else metadata
        table = table_paragraph(grid, caption=caption, metadata=known)
        if table is not None:
            yield table


_NumberedRow: TypeAlias = tuple[int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Table:
    """The table above: its header, caption and first rows; without rows it has not been yielded."""

    header: Sequence[str]
    caption: str
    body: Sequence[Sequence[str]]


def _only_text(row: Sequence[str]) -> str:
    return next(cell for cell in row if cell.strip())


def _text_paragraph(rows: Sequence[_NumberedRow], metadata: Mapping[str, Any]) -> Iterator[ParagraphPayload]:
    if rows:
        yield ParagraphPayload("\n".join(_only_text(row) for _, row in rows), None, dict(metadata))


def _header_alone(table: _Table | None, metadata: Mapping[str, Any]) -> Iterator[ParagraphPayload]:
    """Yield a header below which no rows were found."""
    found = (
        table_paragraph([table.header], caption=table.caption, metadata=metadata) if table and not table.body else None
    )
    if found is not None:
        yield found


def _table_paragraphs(
    header: Sequence[str], rows: Iterator[_NumberedRow], caption: str, metadata: Mapping[str, Any]
) -> Generator[ParagraphPayload, None, _Table]:
    first = list(islice(rows, MOST_ROWS))
    rest = iter(lambda: list(islice(rows, MOST_ROWS)), [])
    yield from headed_tables(header, chain([first] if first else [], rest), caption, metadata)
    return _Table(header, caption, [row for _, row in first])


def _header_of(rows: Sequence[Sequence[str]]) -> tuple[Sequence[str], int]:
    """Return the names of the columns, [] if they have none, and the number of rows that they take."""
    heads = head_rows(rows)
    return (joined_heads(rows[0], rows[1]) if heads == 2 else rows[0] if heads else []), heads


def _until_blank(numbered: Iterator[_NumberedRow]) -> Iterator[_NumberedRow]:
    for number, row in numbered:
        if not any(cell.strip() for cell in row):
            return
        yield number, row
