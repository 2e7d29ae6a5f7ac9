"""Convert the figures of a page, raster images and drawn regions, to placeholder blocks with captions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.figures.figure_captions import (
    caption_with_text,
    is_figure_caption,
    nearest_caption,
)
from kohaku_lib.documents.formats.pdf.figures.figure_labels import inner_lines, readable_text
from kohaku_lib.documents.formats.pdf.figures.figure_regions import Region, figure_regions
from kohaku_lib.documents.formats.pdf.figures.marks import Mark, page_marks, prose_lines
from kohaku_lib.documents.formats.pdf.figures.page_images import RasterImage, page_images
from kohaku_lib.documents.formats.pdf.text.page_text import Box, PageText, page_box

if TYPE_CHECKING:
    import pymupdf

FIGURE_DPI = 150
POINTS_PER_INCH = 72
_LEAST_SIDE_PT = 20.0
_SCAN_SHARE = 0.85
_LEAST_SCAN_CHARACTERS = 100
_LEAST_PROSE_LINES = 3
_DECORATION_PAGES = 3
_LONGEST_TEXT = 4000


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A figure on a page; `xref` is that of its raster image, None if the region is to be rendered.

    Sizes are in pixels (of a rendered region at 150 dpi); `data_size` is in stored bytes, None if rendered. `text` is
    the text inside the figure, `marks` the number of its drawings and images.
    """

    page: int
    name: str
    width: int
    height: int
    data_size: int | None
    xref: int | None
    box: Box
    text: str = ""
    owns_text: bool = False
    marks: int = 1


def page_figures(
    page: pymupdf.Page,
    text: PageText,
    drawings: Sequence[Mapping[str, Any]],
    tables: Sequence[Box],
    min_size: int,
) -> list[PageFigure]:
    """Return the figures of `page` with sides of at least `min_size` pixels, from top to bottom.

    A separate raster image is a figure of its own; tiles of a figure, lines and labels over an image, and charts made
    of lines are one region. `drawings` are those of `page.get_cdrawings`. A scan below its text layer and images
    behind prose are not figures.
    """
    images = page_images(page, text)
    if not drawings and not images:
        return []
    marks = page_marks(drawings, [image.box for image in images], text, (page.cropbox.width, page.cropbox.height))
    regions = figure_regions(marks, tables, text)
    figures = [_region_figure(region, images, text) for region in regions]
    figures += [_raster_figure(image, text) for image in _separate_images(images, regions, text)]
    large = [figure for figure in figures if min(figure.width, figure.height) >= min_size]
    return sorted(large, key=lambda figure: (round(figure.box.y0), round(figure.box.x0), figure.xref or 0))


def without_repeats(figures: Iterable[PageFigure]) -> list[PageFigure]:
    """Return the figures of a document without decoration, and with the first occurrence of each raster image.

    Decoration occurs on three or more pages, as the same image or as equal figures in the same place.
    """
    listed = list(figures)
    pages: dict[tuple[Any, ...], set[int]] = {}
    for figure in listed:
        for key in _identity_keys(figure):
            pages.setdefault(key, set()).add(figure.page)
    distinct: list[PageFigure] = []
    seen: set[int] = set()
    for figure in listed:
        repeated = any(len(pages[key]) >= _DECORATION_PAGES for key in _identity_keys(figure))
        if not repeated and figure.xref not in seen:
            distinct.append(figure)
            seen |= {figure.xref} if figure.xref is not None else set()
    return distinct


def without_figure_text(text: PageText, figures: Sequence[PageFigure]) -> PageText:
    """Return the text of a page without the text of its figures, but with captions."""
    owned = {id(line) for figure in figures if figure.owns_text for line in inner_lines(figure.box, text)}
    if not owned:
        return text
    lines = tuple(line for line in text.lines if id(line) not in owned)
    return replace(text, lines=lines, asides=tuple(line for line in text.asides if id(line) not in owned))


def with_placeholders(blocks: Sequence[Block], figures: Sequence[PageFigure], page: PageText) -> list[Block]:
    """Return the blocks of a page with one placeholder per figure in place of its caption.

    The caption is moved to the placeholder's metadata. A figure without a caption follows the block above it, else is
    last on the page.
    """
    captions = [index for index, block in enumerate(blocks) if _is_caption(block)]
    boxes = [blocks[index].box for index in captions]
    placed: dict[int, list[Block]] = {}
    taken: set[int] = set()
    for number, figure in enumerate(figures, 1):
        nearest = nearest_caption(figure.box, boxes)
        caption = None
        if nearest is not None:
            caption, members = caption_with_text(blocks, captions[nearest])
            taken.update(members)
        after = _block_above(blocks, figure.box) if nearest is None else captions[nearest]
        placed.setdefault(after, []).append(_placeholder_block(figure, number, caption, page))
    pieces = [
        piece
        for index, block in enumerate(blocks)
        for piece in (*(() if index in taken else (block,)), *placed.get(index, ()))
    ]
    return pieces + placed.get(len(blocks), [])


def _region_figure(region: Region, images: Sequence[RasterImage], text: PageText) -> PageFigure:
    alone = _only_image(region, images)
    words = inner_lines(alone.box if alone else region.box, text) if region.owns_text else []
    if alone is not None and not words:
        return _raster_figure(alone, text)
    box = region.box if alone is None else alone.box
    width, height = (max(1, round(side * FIGURE_DPI / POINTS_PER_INCH)) for side in (box.width, box.height))
    inner = readable_text(words)[:_LONGEST_TEXT]
    return PageFigure(
        text.number, "drawing", width, height, None, None, box, inner, region.owns_text, len(region.marks)
    )


def _only_image(region: Region, images: Sequence[RasterImage]) -> RasterImage | None:
    """Return the raster image that a region consists of, None if there are other marks or it is stored inline."""
    marks = [mark for mark in region.marks if mark.kind != "rule" or mark.box.area > 1]
    if len(marks) != 1 or marks[0].kind != "image":
        return None
    return next((p for p in images if p.xref is not None and _is_same_box(p.box, marks[0])), None)


def _is_same_box(box: Box, mark: Mark) -> bool:
    return abs(box.x0 - mark.box.x0) + abs(box.y1 - mark.box.y1) + abs(box.x1 - mark.box.x1) < 1.0


def _raster_figure(image: RasterImage, text: PageText) -> PageFigure:
    return PageFigure(text.number, image.name, image.width, image.height, image.data_size, image.xref, image.box)


def _separate_images(images: Sequence[RasterImage], regions: Sequence[Region], text: PageText) -> list[RasterImage]:
    """Return the relevant raster images outside the regions."""
    prose = prose_lines(text)
    characters = sum(len(line.text) for line in (*text.lines, *text.asides))
    return [
        image
        for image in images
        if image.xref is not None
        and min(image.box.width, image.box.height) >= _LEAST_SIDE_PT
        and not any(region.box.contains_centre(image.box) for region in regions)
        and sum(image.box.contains_centre(line.box) for line in prose) < _LEAST_PROSE_LINES
        and not (characters >= _LEAST_SCAN_CHARACTERS and _covers_page(image.box, text))
        and Box(0.0, 0.0, text.width, text.height).contains_centre(image.box)
    ]


def _covers_page(box: Box, text: PageText) -> bool:
    return box.area >= _SCAN_SHARE * text.width * text.height


def _identity_keys(figure: PageFigure) -> list[tuple[Any, ...]]:
    """Return the keys by which equal figures on other pages are recognised."""
    box = figure.box
    place = tuple(round(value / 4) for value in (box.x0, box.y0, box.x1, box.y1))
    alike = ("alike", *place, figure.width, figure.height, figure.data_size, figure.text, figure.marks)
    return [alike] if figure.xref is None else [alike, ("xref", figure.xref)]


def _is_caption(block: Block) -> bool:
    return block.kind in {"text", "heading"} and is_figure_caption(block.text)


def _block_above(blocks: Sequence[Block], box: Box) -> int:
    above = [
        index
        for index, block in enumerate(blocks)
        if block.box.y1 <= box.y0 + 6 and min(block.box.x1, box.x1) - max(block.box.x0, box.x0) > 0
    ]
    return max(above, key=lambda index: blocks[index].box.y1) if above else len(blocks)


def _placeholder_block(figure: PageFigure, index: int, caption: str | None, page: PageText) -> Block:
    place = f"[Image page={page.number} idx={index} name={figure.name}]"
    size = "drawn" if figure.data_size is None else f"Data: {figure.data_size}"
    metadata: dict[str, Any] = {
        "attachment_type": "image",
        "modality": "image",
        "image_index": index,
        "image_name": figure.name,
        "image_width": figure.width,
        "image_height": figure.height,
        "xref": figure.xref,
        "has_image_data": figure.data_size != 0,
        "image_data_size": figure.data_size,
        "page_caption": caption,
        "figure_text": figure.text or None,
        "turn": page.turn,
        "bbox": page_box(figure.box, page),
    }
    text = f"{place} Size: {figure.width}x{figure.height}, {size}"
    return Block("image", text, page.number, figure.box, metadata=metadata)
