"""Read the blocks of a page with the parser configured in documents.parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import TYPE_CHECKING, Any, Literal

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.layout_engine import LayoutRegion, layout_regions
from kohaku_lib.documents.formats.pdf.page_blocks import page_blocks
from kohaku_lib.documents.formats.pdf.tables.layout_tables import layout_tables
from kohaku_lib.documents.formats.pdf.tables.rows import visual_rows
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.hyphens import Vocabulary
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText
from kohaku_lib.documents.formats.pdf.text.strikes import without_struck_words

if TYPE_CHECKING:
    import pymupdf

_LEAST_CELLS = 3
_LONGEST_MEAN = 14  # characters per cell; columns of prose have more
_MOST_BAD_ROWS = 3
_PAGE = re.compile(r"\d{1,3}\Z|[ivx]+\Z")  # the last cell of a row in a table of contents
_EMPTY_HEADER = re.compile(r"^\|(?:\s*\|)+\n\|(?: --- \|)+$", re.M)
_TWO_NUMBERS = re.compile(r"(?:^|\s)[$€£(]?-?\d[\d,.]*[.,]\d+\)?\s+[$€£(]?-?\d[\d,.]*[.,]\d+\)?(?=\s)")
_HEADINGS = frozenset({"title", "section-header"})
_FURNITURE = frozenset({"page-header", "page-footer"})
_WHOLE = frozenset({*_HEADINGS, "text", "list-item", "caption", "footnote", "formula"})
_SLACK_PT = 1.0  # by which the centre of a line may be outside its region
_EDGE_SHARE = 0.14  # of the page's height, which contains running headers and footers


@dataclass(frozen=True, slots=True)
class PageReader:
    """Reader of the pages of `document`.

    "blocks" uses text lines and rules only; "layout" applies the layout engine to every page; "auto" applies it to
    pages whose tables look wrong (see `needs_layout`). The engine is never applied to rotated pages or pages read by
    OCR.
    """

    document: pymupdf.Document
    parser: Literal["blocks", "layout", "auto"]
    removes_furniture: bool = True

    def blocks(
        self, page: PageText, ruled: Sequence[PageTable], vocabulary: Vocabulary
    ) -> tuple[list[Block], PageText]:
        """Return the paragraphs and tables of `page` in reading order, and the page as they show it.

        `ruled` are its ruled tables.
        """
        line_blocks = page_blocks(page, ruled, vocabulary)
        source = self.document[page.number - 1]
        suited = self.parser != "blocks" and page.lines and not page.turn and not source.rotation
        if not suited or (self.parser == "auto" and not needs_layout(page, line_blocks)):
            return line_blocks, page
        words: Any = without_struck_words(source.get_text("words"), page.strikes)
        regions = layout_regions(source) if words else []
        sound = [block.box for block in line_blocks if block.kind == "table" and _is_sound(block.text)]
        tables = [*ruled, *layout_tables(regions, words, ruled, sound)]
        shown = without_marked_furniture(page, regions) if self.removes_furniture else page
        return layout_blocks(shown, regions, tables, vocabulary), shown


def needs_layout(page: PageText, blocks: Sequence[Block]) -> bool:
    """Return whether the tables among the `blocks` of a page are clearly wrong.

    That is the case if more than three rows of at least three short cells are outside every table (except rows of
    contents, which end in a page number), if more than three rows of a table have two numbers in one cell, or if a
    table has no header.
    """
    tables = [block for block in blocks if block.kind == "table"]
    poor = any(_count_crowded_rows(table.text) > _MOST_BAD_ROWS or _lacks_header(table.text) for table in tables)
    return poor or _count_rows_outside_tables(page, [table.box for table in tables]) > _MOST_BAD_ROWS


def layout_blocks(
    page: PageText, regions: Sequence[LayoutRegion], tables: Sequence[PageTable], vocabulary: Vocabulary
) -> list[Block]:
    """Return the paragraphs and tables of a page in reading order, as `page_blocks` does, guided by its `regions`.

    Paragraphs never span two regions, and only titles and section headers are marked as headings (`_is_heading` in the
    metadata). `tables` are the ruled tables and those of `layout_tables`.
    """
    parts = _RegionIndex(regions)
    blocks = page_blocks(page, tables, vocabulary, parts.split)
    for block in blocks:
        if block.kind == "text":
            block.metadata["_is_heading"] = parts.kind_at(block.box) in _HEADINGS
    return blocks


def without_marked_furniture(page: PageText, regions: Sequence[LayoutRegion]) -> PageText:
    """Return the page without the lines at its edges that the layout engine marks as running heads and feet.

    They are among its `furniture`. A page that would become empty is unchanged.
    """
    edges = [
        region.box
        for region in regions
        if region.kind in _FURNITURE
        and (region.box.y1 <= _EDGE_SHARE * page.height or region.box.y0 >= (1 - _EDGE_SHARE) * page.height)
    ]
    taken = tuple(line for line in page.lines if any(box.contains_centre(line.box, _SLACK_PT) for box in edges))
    lines = tuple(line for line in page.lines if line not in taken)
    return replace(page, lines=lines, furniture=(*page.furniture, *taken)) if lines else page


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


class _RegionIndex:
    """Lookup of the region that contains a line or block."""

    def __init__(self, regions: Sequence[LayoutRegion]) -> None:
        self._regions = sorted((r for r in regions if r.kind in _WHOLE), key=lambda r: r.box.area)

    def kind_at(self, box: Box) -> str | None:
        index = self._index_at(box)
        return None if index is None else self._regions[index].kind

    def split(self, lines: Sequence[Line]) -> list[list[Line]]:
        """Return the lines grouped by region in the order of first lines; adjacent lines without one are a group."""
        parts: list[tuple[int | None, list[Line]]] = []
        by_index: dict[int, list[Line]] = {}
        for line in lines:
            index = self._index_at(line.box)
            if index is not None and index in by_index:
                by_index[index].append(line)
            elif index is None and parts and parts[-1][0] is None:
                parts[-1][1].append(line)
            else:
                parts.append((index, [line]))
                if index is not None:
                    by_index[index] = parts[-1][1]
        return [part for _, part in parts]

    def _index_at(self, box: Box) -> int | None:
        regions = enumerate(self._regions)
        return next((index for index, region in regions if region.box.contains_centre(box, _SLACK_PT)), None)
