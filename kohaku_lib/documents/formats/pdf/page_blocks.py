"""Convert a page to blocks: regions in reading order, with their tables and paragraphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.tables.aligned import find_aligned_tables
from kohaku_lib.documents.formats.pdf.tables.captions import table_block
from kohaku_lib.documents.formats.pdf.tables.rows import joined_line, visual_rows
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.columns import reading_regions
from kohaku_lib.documents.formats.pdf.text.drop_caps import with_drop_caps
from kohaku_lib.documents.formats.pdf.text.footnotes import mark_footnotes
from kohaku_lib.documents.formats.pdf.text.hyphens import Vocabulary
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText
from kohaku_lib.documents.formats.pdf.text.paragraphs import paragraph_blocks
from kohaku_lib.documents.formats.pdf.text.right_to_left_spans import is_right_to_left

Parts = Callable[[Sequence[Line]], list[list[Line]]]

_REGIONS_PER_PAGE = 10_000  # makes region numbers unique across pages
_PLACEHOLDER = "\ue000" * 40  # the text of a placeholder line for a ruled table


def page_blocks(
    page: PageText, ruled: Sequence[PageTable], vocabulary: Vocabulary, parts: Parts | None = None
) -> list[Block]:
    """Return the paragraphs and tables of a page in reading order; text inside a `ruled` table is not repeated.

    `parts` splits the lines of a region into groups that no paragraph spans.
    """
    outside = [line for line in page.lines if not any(table.box.contains_centre(line.box) for table in ruled)]
    outside = with_drop_caps(outside, vocabulary)
    placeholders = [Line(_PLACEHOLDER, table.box, 10.0, False, index) for index, table in enumerate(ruled)]
    regions = [*reading_regions([*outside, *placeholders]), list(page.asides)]
    blocks: list[Block] = []
    for index, region in enumerate(regions):
        number = page.number * _REGIONS_PER_PAGE + index
        start = 0
        for position, line in enumerate(region):
            if line.text is _PLACEHOLDER:
                blocks.extend(_group_blocks(region[start:position], page.number, number, vocabulary, parts, page.rules))
                blocks.append(table_block(ruled[line.block], page.number, number))
                start = position + 1
        blocks.extend(_group_blocks(region[start:], page.number, number, vocabulary, parts, page.rules))
    mark_footnotes(blocks, page.height)
    return blocks


def _group_blocks(
    lines: Sequence[Line], page: int, region: int, vocabulary: Vocabulary, parts: Parts | None, rules: Sequence[Box]
) -> list[Block]:
    pieces = parts(lines) if parts else [lines]
    return [block for piece in pieces for block in _text_blocks(piece, page, region, vocabulary, rules)]


def _text_blocks(
    lines: Sequence[Line], page: int, region: int, vocabulary: Vocabulary, rules: Sequence[Box]
) -> list[Block]:
    """Return the paragraphs of the lines and the tables detected by aligned numbers."""
    rows, tables = _rows_and_tables(lines, rules)
    blocks: list[Block] = []
    start = 0
    for first, end, table in tables:
        blocks.extend(paragraph_blocks([joined_line(row) for row in rows[start:first]], page, region, vocabulary))
        blocks.append(table_block(table, page, region))
        start = end
    blocks.extend(paragraph_blocks([joined_line(row) for row in rows[start:]], page, region, vocabulary))
    return blocks


def _rows_and_tables(
    lines: Sequence[Line], rules: Sequence[Box]
) -> tuple[list[list[Line]], list[tuple[int, int, PageTable]]]:
    """Return the rows of the lines and the tables among them; what runs left is read in a mirror, from the right."""
    if not is_right_to_left(" ".join(line.text for line in lines)):
        rows = visual_rows(lines)
        return rows, find_aligned_tables(rows, rules)
    rows = visual_rows([replace(line, box=line.box.mirrored) for line in lines])
    tables = find_aligned_tables(rows, [rule.mirrored for rule in rules])
    shown = [[replace(cell, box=cell.box.mirrored) for cell in row] for row in rows]
    return shown, [(first, end, table.mirrored) for first, end, table in tables]
