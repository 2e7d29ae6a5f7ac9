"""Convert a page to blocks by its layout regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.layout_engine import LayoutRegion
from kohaku_lib.documents.formats.pdf.page_blocks import page_blocks
from kohaku_lib.documents.formats.pdf.tables.tables import Table
from kohaku_lib.documents.formats.pdf.text.hyphens import Vocabulary
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText

_HEADINGS = frozenset({"title", "section-header"})
_FURNITURE = frozenset({"page-header", "page-footer"})
_WHOLE = frozenset({*_HEADINGS, "text", "list-item", "caption", "footnote", "formula"})
_SLACK_PT = 1.0  # by which the centre of a line may be outside its region
_EDGE_SHARE = 0.14  # of the page's height, which contains running headers and footers


def layout_blocks(
    page: PageText, regions: Sequence[LayoutRegion], tables: Sequence[Table], vocabulary: Vocabulary
) -> list[Block]:
    """Return the paragraphs and tables of a page in reading order, as `page_blocks` does, guided by its `regions`.

    Running headers and footers at the page's edges are removed, paragraphs never span two regions, and only titles and
    section headers are marked as headings (`_is_heading` in the metadata). `tables` are the ruled tables and those of
    `layout_tables`.
    """
    shown = _without_furniture(page, regions)
    parts = _RegionIndex(regions)
    blocks = page_blocks(shown, tables, vocabulary, parts.split)
    for block in blocks:
        if block.kind == "text":
            block.metadata["_is_heading"] = parts.kind_at(block.box) in _HEADINGS
    return blocks


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


def _without_furniture(page: PageText, regions: Sequence[LayoutRegion]) -> PageText:
    edges = [
        region.box
        for region in regions
        if region.kind in _FURNITURE
        and (region.box.y1 <= _EDGE_SHARE * page.height or region.box.y0 >= (1 - _EDGE_SHARE) * page.height)
    ]
    lines = tuple(line for line in page.lines if not any(box.contains_centre(line.box, _SLACK_PT) for box in edges))
    return replace(page, lines=lines) if lines else page
