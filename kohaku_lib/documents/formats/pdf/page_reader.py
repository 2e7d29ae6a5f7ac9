"""The blocks of a page by the way that documents.parser names."""

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
_LONGEST_MEAN = 14  # characters of a cell; columns of prose have more
_MOST_BAD_ROWS = 3
_PAGE = re.compile(r"\d{1,3}\Z|[ivx]+\Z")  # the last cell of a row of contents
_EMPTY_HEAD = re.compile(r"^\|(?:\s*\|)+\n\|(?: --- \|)+$", re.M)
_TWO_NUMBERS = re.compile(r"(?:^|\s)[$€£(]?-?\d[\d,.]*[.,]\d+\)?\s+[$€£(]?-?\d[\d,.]*[.,]\d+\)?(?=\s)")


@dataclass(frozen=True, slots=True)
class PageReader:
    """Reads the pages of `document`.

    "blocks" goes by text lines and rules alone; "layout" asks the layout engine about every page; "auto" asks
    it about those pages only whose tables look wrong (see `needs_layout`). It is never asked about pages whose
    text does not stand upright, nor about pages that were read by OCR.
    """

    document: pymupdf.Document
    parser: Literal["blocks", "layout", "auto"]

    def blocks(self, page: PageText, ruled: Sequence[Table], vocabulary: Vocabulary) -> list[Block]:
        """Return the paragraphs and tables of `page` in reading order; `ruled` are its tables drawn with rules."""
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
    """Tell whether the tables among the `blocks` of a page plainly miss what stands on it.

    That is where more than three rows of three short cells each stand outside every table (rows of contents, which
    end in a page number, do not count), more than three rows of a table hold two numbers in one cell, or a table
    has no head.
    """
    tables = [block for block in blocks if block.kind == "table"]
    poor = any(_crowded_rows(table.text) > _MOST_BAD_ROWS or _is_headless(table.text) for table in tables)
    return poor or _loose_rows(page, [table.box for table in tables]) > _MOST_BAD_ROWS


def _is_sound(table: str) -> bool:
    return not _crowded_rows(table) and not _is_headless(table)


def _crowded_rows(table: str) -> int:
    return sum(_TWO_NUMBERS.search(line) is not None for line in table.split("\n") if line.startswith("|"))


def _is_headless(table: str) -> bool:
    return _EMPTY_HEAD.search(table) is not None


def _loose_rows(page: PageText, tables: Sequence[Box]) -> int:
    loose = 0
    for row in visual_rows(page.lines):
        short = len(row) >= _LEAST_CELLS and mean(len(cell.text) for cell in row) < _LONGEST_MEAN
        if short and not _PAGE.match(row[-1].text):
            y = (row[0].box.y0 + row[0].box.y1) / 2
            loose += not any(box.y0 <= y <= box.y1 for box in tables)
    return loose
