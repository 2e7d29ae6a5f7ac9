"""List the raster images of a page, including inline ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.formats.pdf.text.page_text import Box, PageText, upright_box

if TYPE_CHECKING:
    import pymupdf

_LEAST_SLANT = 0.01
_INLINE = re.compile(rb"\bBI\s.{0,400}?\bID\s", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RasterImage:
    """A raster image on a page, with sizes in pixels and stored bytes.

    `xref` is None if the stored pixels differ from the page: for inline, rotated or mirrored images.
    """

    xref: int | None
    name: str
    width: int
    height: int
    data_size: int
    box: Box


def page_images(page: pymupdf.Page, text: PageText) -> list[RasterImage]:
    """Return the raster images of `page` in painting order, with upright boxes."""
    listed = page.get_images()
    if not listed and not _has_inline(page.read_contents() or b""):
        return []
    size = page.cropbox.width, page.cropbox.height
    return [
        _page_image(info, listed, upright_box(info["bbox"], text.turn, size)) for info in _image_infos(page, listed)
    ]


def _has_inline(content: bytes) -> bool:
    return b"BI" in content and _INLINE.search(content) is not None  # the substring test first, since it is far faster


def _image_infos(page: pymupdf.Page, listed: list[Any]) -> list[dict[str, Any]]:
    """Return the page's image infos, with xrefs (which requires slow pixel comparison) only if sizes are equal."""
    sizes = [(item[2], item[3]) for item in listed]
    infos: Any = page.get_image_info(xrefs=len(set(sizes)) < len(sizes))
    return infos


def _page_image(info: Mapping[str, Any], listed: list[Any], box: Box) -> RasterImage:
    item = next((item for item in listed if _is_info_of(info, item)), None)
    name = str(item[7]) if item else "inline"
    return RasterImage(
        item[0] if item and _is_upright(info) else None, name, info["width"], info["height"], info["size"], box
    )


def _is_upright(info: Mapping[str, Any]) -> bool:
    a, b, c, d, *_ = info["transform"]
    return a > 0 and d > 0 and abs(b) + abs(c) < _LEAST_SLANT * (a + d)


def _is_info_of(info: Mapping[str, Any], item: Any) -> bool:
    if "xref" in info:
        return info["xref"] == item[0]
    return (info["width"], info["height"]) == (item[2], item[3])
