"""Convert sheet rows to text paragraphs and tables of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from kohaku_lib.documents.formats.office.sheet_heads import head_rows, joined_heads
from kohaku_lib.documents.formats.shared.table_text import table_paragraph
from kohaku_lib.tables import ParagraphPayload

MOST_ROWS = 50  # of one table, without its header


def sheet_paragraphs(rows: Iterable[Sequence[str]], metadata: Mapping[str, Any]) -> Iterator[ParagraphPayload]:
    r"""Yield the paragraphs of a sheet: single-cell rows as text, blocks of rows between blank rows as tables.

    The first row of a block with at least two cells is its header, or the first two, or none (see `head_rows`); a
    single-cell row directly above it is its caption. A block of more than 50 rows is split into several tables, each with
    the header and the 1-based number of its first row as `first_row` in its metadata. Rows are streamed.

    >>> rows = [["Energy use"], ["model", "MWh"], ["GPT-3", "1287"], [], ["Source: own measurement"]]
    >>> [paragraph.text for paragraph in sheet_paragraphs(rows, {})]
    ['Energy use\n| model | MWh |\n| --- | --- |\n| GPT-3 | 1287 |', 'Source: own measurement']
    """
    above: list[str] = []
    numbered = enumerate(rows, start=1)
    for number, row in numbered:
        filled = [cell for cell in row if cell.strip()]
        if len(filled) > 1:
            caption = above.pop() if above else ""
            yield from _text_paragraph(above, metadata)
            above = []
            yield from _table_paragraphs(row, numbered, number, caption, metadata)
        elif filled:
            above.append(filled[0])
        else:
            yield from _text_paragraph(above, metadata)
            above = []
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


def _text_paragraph(lines: Sequence[str], metadata: Mapping[str, Any]) -> Iterator[ParagraphPayload]:
    if lines:
        yield ParagraphPayload("\n".join(lines), None, dict(metadata))


def _table_paragraphs(
    first: Sequence[str],
    numbered: Iterator[tuple[int, Sequence[str]]],
    number: int,
    caption: str,
    metadata: Mapping[str, Any],
) -> Iterator[ParagraphPayload]:
    block = chain([(number, first)], _until_blank(numbered))
    chunk = list(islice(block, MOST_ROWS + 1))
    header, body = _split([row for _, row in chunk])
    rest = iter(lambda: list(islice(block, MOST_ROWS)), [])
    yield from headed_tables(header, chain([chunk[len(chunk) - len(body) :]], rest), caption, metadata)


def _split(rows: Sequence[Sequence[str]]) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return the names of the columns, [] if they have none, and the rows below."""
    heads = head_rows(rows)
    header = joined_heads(rows[0], rows[1]) if heads == 2 else rows[0] if heads else []
    return header, rows[heads:]


def _until_blank(numbered: Iterator[tuple[int, Sequence[str]]]) -> Iterator[tuple[int, Sequence[str]]]:
    for number, row in numbered:
        if not any(cell.strip() for cell in row):
            return
        yield number, row
