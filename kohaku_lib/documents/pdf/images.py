"""The images of a page as placeholder blocks, with the captions printed next to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.pdf.blocks import FIGURE_CAPTION, Block
from kohaku_lib.documents.pdf.page_text import Box, PageText, page_box, upright_box

if TYPE_CHECKING:
    import pymupdf

_FARTHEST_CAPTION_PT = 60.0
_LEAST_OVERLAP = 0.2


@dataclass(frozen=True, slots=True)
class PageImage:
    """A raster image shown on a page; sizes in pixels, `data_size` in stored bytes."""

    xref: int
    name: str
    width: int
    height: int
    data_size: int
    box: Box


def page_images(page: pymupdf.Page, text: PageText, min_size: int, seen: set[int]) -> list[PageImage]:
    """Return the images that `page` shows, from top to bottom, whose sides are at least `min_size` pixels.

    An image whose xref is in `seen` is left out; the others are added to it. Inline images have no xref and are
    left out as well.
    """
    names = {item[0]: str(item[7]) for item in page.get_images()}
    if not names:
        return []
    found: list[PageImage] = []
    for info in page.get_image_info(xrefs=True):
        xref, width, height = info["xref"], info["width"], info["height"]
        if xref <= 0 or xref in seen or min(width, height) < min_size:
            continue
        seen.add(xref)
        box = upright_box(info["bbox"], text.turn, (page.cropbox.width, page.cropbox.height))
        found.append(PageImage(xref, names.get(xref, f"X{xref}"), width, height, info["size"], box))
    return sorted(found, key=lambda image: (round(image.box.y0), round(image.box.x0), image.xref))


def with_images(blocks: Sequence[Block], images: Sequence[PageImage], page: PageText) -> list[Block]:
    """Return the blocks of a page with one placeholder per image: after its caption, else at the page's end."""
    captions = [block for block in blocks if block.is_caption and FIGURE_CAPTION.match(block.text)]
    placed: dict[int, list[Block]] = {}
    loose: list[Block] = []
    for index, image in enumerate(images, 1):
        caption = _caption_of(image.box, captions)
        block = _placeholder(image, index, caption, page)
        (placed.setdefault(id(caption), []) if caption else loose).append(block)
    return [piece for block in blocks for piece in (block, *placed.get(id(block), ()))] + loose


def _caption_of(box: Box, captions: Sequence[Block]) -> Block | None:
    """Return the nearest caption beneath the image, else above it, that stands in the same column."""
    below = [(block.box.y0 - box.y1, block) for block in captions if block.box.y0 >= box.y1 - 0.3 * box.height]
    above = [(box.y0 - block.box.y1 + 20.0, block) for block in captions if block.box.y1 <= box.y0 + 5]
    near = [
        (max(distance, 0.0), block)
        for distance, block in below + above
        if distance <= _FARTHEST_CAPTION_PT and _shares_column(box, block.box)
    ]
    return min(near, key=lambda pair: pair[0])[1] if near else None


def _shares_column(a: Box, b: Box) -> bool:
    return min(a.x1, b.x1) - max(a.x0, b.x0) >= _LEAST_OVERLAP * min(a.width, b.width)


def _placeholder(image: PageImage, index: int, caption: Block | None, page: PageText) -> Block:
    place = f"[Image page={page.number} idx={index} name={image.name}]"
    text = f"{place} Size: {image.width}x{image.height}, Data: {image.data_size}"
    metadata: dict[str, Any] = {
        "attachment_type": "image",
        "modality": "image",
        "image_index": index,
        "image_name": image.name,
        "image_width": image.width,
        "image_height": image.height,
        "xref": image.xref,
        "has_image_data": image.data_size > 0,
        "image_data_size": image.data_size,
        "page_caption": caption.text if caption else None,
        "bbox": page_box(image.box, page),
    }
    return Block("image", text, page.number, image.box, metadata=metadata)
