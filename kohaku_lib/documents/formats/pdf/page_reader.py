"""Read the blocks of a page with the parser configured in documents.parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING, Any, Literal

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.layout import layout_blocks
from kohaku_lib.documents.formats.pdf.layout_engine import layout_regions
from kohaku_lib.documents.formats.pdf.page_blocks import page_blocks
from kohaku_lib.documents.formats.pdf.tables.layout_tables import layout_tables
from kohaku_lib.documents.formats.pdf.tables.rows import visual_rows
from kohaku_lib.documents.formats.pdf.tables.tables import Table
from kohaku_lib.documents.formats.pdf.text.hyphens import Vocabulary
from kohaku_lib.documents.formats.pdf.text.page_text import Box, PageText

if TYPE_CHECKING:
    import pymupdf

_LEAST_CELLS = 3
_LONGEST_MEAN = 14  # characters per cell; columns of prose have more
_MOST_BAD_ROWS = 3
_PAGE = re.compile(r"\d{1,3}\Z|[ivx]+\Z")  # the last cell of a row in a table of contents
_EMPTY_HEADER = re.compile(r"^\|(?:\s*\|)+\n\|(?: --- \|)+$", re.M)
_TWO_NUMBERS = re.compile(r"(?:^|\s)[$€£(]?-?\d[\d,.]*[.,]\d+\)?\s+[$€£(]?-?\d[\d,.]*[.,]\d+\)?(?=\s)")


@dataclass(frozen=True, slots=True)
class PageReader:
    """Reader of the pages of `document`.

    "blocks" uses text lines and rules only; "layout" applies the layout engine to every page; "auto" applies it to
    pages whose tables look wrong (see `needs_layout`). The engine is never applied to rotated pages or pages read by
    OCR.
    """

    document: pymupdf.Document
    parser: Literal["blocks", "layout", "auto"]

    def blocks(self, page: PageText, ruled: Sequence[Table], vocabulary: Vocabulary) -> list[Block]:
        """Return the paragraphs and tables of `page` in reading order; `ruled` are its ruled tables."""
        found = page_blocks(page, ruled, vocabulary)
        source = self.document[page.number - 1]
        suited = self.parser != "blocks" and page.lines and not page.turn and not source.rotation
        if not suited or (self.parser == "auto" and not needs_layout(page, found)):
            return found
        words: Any = source.get_text("words")
        regions = layout_regions(source) if words else []
        sound = [block.box for block in found if block.kind == "table" and _is_sound(block.text)]
        tables = [*ruled, *layout_tables(regions, words, ruled, sound)]
        return layout_blocks(page, regions, tables, vocabulary)


def needs_layout(page: PageText, blocks: Sequence[Block]) -> bool:
    """Return whether the tables among the `blocks` of a page are clearly wrong.

    That is the case if more than three rows of at least three short cells are outside every table (except rows of
    contents, which end in a page number), if more than three rows of a table have two numbers in one cell, or if a
    table has no header.
    """
    tables = [block for block in blocks if block.kind == "table"]
    poor = any(_count_crowded_rows(table.text) > _MOST_BAD_ROWS or _lacks_header(table.text) for table in tables)
    return poor or _count_rows_outside_tables(page, [table.box for table in tables]) > _MOST_BAD_ROWS


def _is_sound(table: str) -> bool:
    return not _count_crowded_rows(table) and not _lacks_header(table)


def _count_crowded_rows(table: str) -> int:
    return sum(_TWO_NUMBERS.search(line) is not None for line in table.split("\n") if line.startswith("|"))


def _lacks_header(table: str) -> bool:
    return _EMPTY_HEADER.search(table) is not None


def _count_rows_outside_tables(page: PageText, tables: Sequence[Box]) -> int:
    loose = 0
    for row in visual_rows(page.lines):
        short = len(row) >= _LEAST_CELLS and mean(len(cell.text) for cell in row) < _LONGEST_MEAN
        if short and not _PAGE.match(row[-1].text):
            y = (row[0].box.y0 + row[0].box.y1) / 2
            loose += not any(box.y0 <= y <= box.y1 for box in tables)
    return loose
