"""Pictures of a PDF's pages, and the lines of text on them, for the viewer."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.pdf.open_pdf import open_pdf

if TYPE_CHECKING:
    import pymupdf

_LONGEST_PX = 1300
_QUALITY = 60
_MOST_LINES = 2000


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of the page's text layer and its box in points."""

    text: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page (counted from 1) as WebP in base64; its size and its boxes are in points."""

    page: int
    width: float
    height: float
    webp_base64: str
    lines: tuple[TextLine, ...] = ()


def page_pictures(path: Path, pages: Sequence[int]) -> list[dict[str, Any]]:
    """Return the wanted `pages` of the PDF that exist, as JSON values that `picture_from_json` reads.

    Raises DocumentError as `open_pdf` does.
    """
    with open_pdf(path) as document:
        return [_picture(document[page - 1], page) for page in pages if 1 <= page <= document.page_count]


def picture_from_json(value: dict[str, Any]) -> PagePicture:
    """Return the picture that `page_pictures` made."""
    lines = tuple(TextLine(text, (box[0], box[1], box[2], box[3])) for text, box in value["lines"])
    return PagePicture(value["page"], value["width"], value["height"], value["webp_base64"], lines)


def _picture(page: pymupdf.Page, number: int) -> dict[str, Any]:
    import pymupdf
    from PIL import Image

    rect = page.rect
    scale = _LONGEST_PX / max(rect.width, rect.height, 1.0)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False)
    sink = io.BytesIO()
    Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples).save(sink, "WEBP", quality=_QUALITY)
    return {
        "page": number,
        "width": rect.width,
        "height": rect.height,
        "webp_base64": base64.b64encode(sink.getvalue()).decode(),
        "lines": _lines(page)[:_MOST_LINES],
    }


def _lines(page: pymupdf.Page) -> list[tuple[str, list[float]]]:
    content: Any = page.get_text("dict", flags=0)
    found = [
        ("".join(span["text"] for span in line["spans"]).strip(), [round(side, 1) for side in line["bbox"]])
        for block in content["blocks"]
        for line in block["lines"]
    ]
    return [(text, box) for text, box in found if text]
