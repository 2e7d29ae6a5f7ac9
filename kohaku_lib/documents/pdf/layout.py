"""A page to blocks by its layout regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from kohaku_lib.documents.pdf.blocks import Block
from kohaku_lib.documents.pdf.hyphens import Vocabulary
from kohaku_lib.documents.pdf.layout_engine import LayoutRegion, layout_regions
from kohaku_lib.documents.pdf.page_blocks import page_blocks
from kohaku_lib.documents.pdf.page_text import Box, Line, PageText, clean_text
from kohaku_lib.documents.pdf.tables import Table

if TYPE_CHECKING:
    import pymupdf

_HEADINGS = frozenset({"title", "section-header"})
_FURNITURE = frozenset({"page-header", "page-footer"})
_WHOLE = frozenset({*_HEADINGS, "text", "list-item", "caption", "footnote", "formula"})
_EDGE_SHARE = 0.14  # of the page's height, where running headers and footers stand
_LEAST_SHARED = 0.5
_LEAST_FILLED_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The regions of a page and those of its tables that no rules draw."""

    regions: tuple[LayoutRegion, ...]
    tables: tuple[Table, ...]


def page_layouts(
    document: pymupdf.Document,
    texts: Sequence[PageText],
    ruled: dict[int, list[Table]],
    parser: Literal["blocks", "layout"],
) -> dict[int, PageLayout]:
    """Return the layout, by number, of the pages that `parser` wants analysed: none, or all with upright text.

    `ruled` has the tables drawn with rules, by page.
    """
    if parser == "blocks":
        return {}
    layouts: dict[int, PageLayout] = {}
    for text in texts:
        page = document[text.number - 1]
        if text.lines and not text.turn and not page.rotation:
            regions = layout_regions(page)
            words: Any = page.get_text("words")
            tables = layout_tables(regions, words, ruled[text.number])
            layouts[text.number] = PageLayout(tuple(regions), tuple(tables))
    return layouts


def layout_blocks(page: PageText, layout: PageLayout, ruled: Sequence[Table], vocabulary: Vocabulary) -> list[Block]:
    """Return the paragraphs and tables of a page in reading order, as `page_blocks` does, led by its `layout`.

    Running headers and footers at the page's edges go, a paragraph never reaches over two regions, and where the
    page has titles and section headers, they and no others are marked as headings (`_is_heading` in metadata).
    """
    shown = _without_furniture(page, layout.regions)
    parts = _Parts(layout.regions)
    blocks = page_blocks(shown, [*ruled, *layout.tables], vocabulary, parts.split)
    for block in blocks:
        if block.kind == "text":
            block.metadata["_is_heading"] = parts.kind_at(block.box) in _HEADINGS
    return blocks


def layout_tables(regions: Sequence[LayoutRegion], words: Sequence[Any], ruled: Sequence[Table]) -> list[Table]:
    """Return the tables among the regions that are none of the `ruled` ones, filled with the `words` of the page.

    `words` are PyMuPDF's: (x0, y0, x1, y1, text, block, line, word). A word belongs to the cell in which its
    middle lies. Grids with fewer than two rows or columns, or most of whose cells are empty, are no tables.
    """
    wanted = [r for r in regions if r.kind == "table" and not any(_shares(r.box, table.box) for table in ruled)]
    return [table for region in wanted if (table := _table(region, words)) is not None]


class _Parts:
    """Which region a line or block stands in."""

    def __init__(self, regions: Sequence[LayoutRegion]) -> None:
        self._regions = sorted((r for r in regions if r.kind in _WHOLE), key=lambda r: r.box.width * r.box.height)

    def kind_at(self, box: Box) -> str | None:
        index = self._index_at(box)
        return None if index is None else self._regions[index].kind

    def split(self, lines: Sequence[Line]) -> list[list[Line]]:
        """Return the lines by region, regions in the order of their first lines; loose neighbours stay together."""
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
        x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        for index, region in enumerate(self._regions):
            if region.box.x0 - 1 <= x <= region.box.x1 + 1 and region.box.y0 - 1 <= y <= region.box.y1 + 1:
                return index
        return None


def _without_furniture(page: PageText, regions: Sequence[LayoutRegion]) -> PageText:
    edges = [
        region.box
        for region in regions
        if region.kind in _FURNITURE
        and (region.box.y1 <= _EDGE_SHARE * page.height or region.box.y0 >= (1 - _EDGE_SHARE) * page.height)
    ]
    lines = tuple(line for line in page.lines if not any(_holds(box, line.box) for box in edges))
    return replace(page, lines=lines) if lines else page


def _holds(box: Box, other: Box) -> bool:
    x, y = (other.x0 + other.x1) / 2, (other.y0 + other.y1) / 2
    return box.x0 - 1 <= x <= box.x1 + 1 and box.y0 - 1 <= y <= box.y1 + 1


def _shares(box: Box, other: Box) -> bool:
    """Tell whether half of the smaller of two boxes lies in the other."""
    width = min(box.x1, other.x1) - max(box.x0, other.x0)
    height = min(box.y1, other.y1) - max(box.y0, other.y0)
    smaller = min(box.width * box.height, other.width * other.height)
    return width > 0 and height > 0 and width * height > _LEAST_SHARED * smaller


def _table(region: LayoutRegion, words: Sequence[Any]) -> Table | None:
    cells = [["" for _ in region.columns[1:]] for _ in region.rows[1:]]
    for word in sorted(words, key=lambda word: word[5:8]):
        column = _interval((word[0] + word[2]) / 2, region.columns)
        row = _interval((word[1] + word[3]) / 2, region.rows)
        if column is not None and row is not None:
            cells[row][column] = f"{cells[row][column]} {clean_text(word[4])}".strip()
    rows = [row for row in cells if any(row)]
    columns = [index for index in range(len(region.columns) - 1) if any(row[index] for row in rows)]
    grid = tuple(tuple(row[index] for index in columns) for row in rows)
    filled = sum(bool(cell) for row in grid for cell in row)
    if len(grid) < 2 or len(columns) < 2 or filled < _LEAST_FILLED_SHARE * len(grid) * len(columns):
        return None
    return Table(grid, region.box)


def _interval(value: float, edges: Sequence[float]) -> int | None:
    for index, (start, end) in enumerate(pairwise(edges)):
        if start <= value < end:
            return index
    return None
