"""Page images and text lines of a PDF for the viewer."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.formats.pdf.open_pdf import open_pdf

if TYPE_CHECKING:
    import pymupdf

_LONGEST_PX = 1300
_QUALITY = 60
_MOST_LINES = 2000
_IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of the page's text layer and its box in points."""

    text: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page (1-based) as base64 WebP; `width` and `height` are in points, after rotation.

    Boxes are in coordinates before the page's /Rotate; `matrix` (a, b, c, d, e, f) maps them to the rendered page:
    x' = a x + c y + e, y' = b x + d y + f.
    """

    page: int
    width: float
    height: float
    webp_base64: str
    lines: tuple[TextLine, ...] = ()
    matrix: tuple[float, ...] = _IDENTITY

    def shown_box(self, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """Return `box` in the coordinates of the rendered page.

        >>> RenderedPage(1, 200, 100, "", matrix=(0, 1, -1, 0, 200, 0)).shown_box((10, 20, 30, 25))
        (175, 10, 180, 30)
        """
        a, b, c, d, e, f = self.matrix
        xs = [a * box[i] + c * box[j] + e for i, j in ((0, 1), (2, 3))]
        ys = [b * box[i] + d * box[j] + f for i, j in ((0, 1), (2, 3))]
        return min(xs), min(ys), max(xs), max(ys)


def render_pages(path: Path, pages: Sequence[int]) -> list[dict[str, Any]]:
    """Return those of `pages` that exist in the PDF, as JSON values for `rendered_page_from_json`.

    Raises:
        DocumentError: The PDF cannot be opened.

    """
    with open_pdf(path) as document:
        return [_rendered_page_json(document[page - 1], page) for page in pages if 1 <= page <= document.page_count]


def rendered_page_from_json(value: dict[str, Any]) -> RenderedPage:
    """Return the rendered page in a JSON value of `render_pages`."""
    lines = tuple(TextLine(text, (box[0], box[1], box[2], box[3])) for text, box in value["lines"])
    return RenderedPage(
        value["page"], value["width"], value["height"], value["webp_base64"], lines, tuple(value["matrix"])
    )


def _rendered_page_json(page: pymupdf.Page, number: int) -> dict[str, Any]:
    import pymupdf
    from PIL import Image

    rect, turned = page.rect, page.rotation_matrix
    scale = _LONGEST_PX / max(rect.width, rect.height, 1.0)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False)
    sink = io.BytesIO()
    Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples).save(sink, "WEBP", quality=_QUALITY)
    return {
        "page": number,
        "width": rect.width,
        "height": rect.height,
        "webp_base64": base64.b64encode(sink.getvalue()).decode(),
        "lines": _text_lines(page)[:_MOST_LINES],
        "matrix": [turned.a, turned.b, turned.c, turned.d, turned.e, turned.f],
    }


def _text_lines(page: pymupdf.Page) -> list[tuple[str, list[float]]]:
    content: Any = page.get_text("dict", flags=0)
    texts_and_boxes = [
        ("".join(span["text"] for span in line["spans"]).strip(), [round(side, 1) for side in line["bbox"]])
        for block in content["blocks"]
        for line in block["lines"]
    ]
    return [(text, box) for text, box in texts_and_boxes if text]
