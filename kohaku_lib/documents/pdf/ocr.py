"""Reading the picture of a page that has no text layer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.pdf.page_text import Box, Line, PageText, clean_text
from kohaku_lib.errors import ModelError

if TYPE_CHECKING:
    import pymupdf

_RESOLUTION_DPI = 150
_LONGEST_SIDE_PX = 3500
_POINTS_PER_INCH = 72
_SIZE_SHARE = 0.75  # of a line's height that is its font size


def read_page_by_ocr(page: pymupdf.Page, number: int) -> PageText:
    """Return the lines that rapidocr reads on the rendered page; boxes in points of the page as displayed.

    Raises ModelError where rapidocr is not installed.
    """
    import numpy as np
    import pymupdf

    width, height = page.rect.width, page.rect.height
    scale = min(_RESOLUTION_DPI / _POINTS_PER_INCH, _LONGEST_SIDE_PX / max(width, height))
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False)
    pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)
    found, _ = _engine()(pixels[:, :, ::-1])
    lines = [_line(corners, text, scale) for corners, text, _ in found or ()]
    return PageText(number, width, height, tuple(line for line in lines if line.text))


@cache
def _engine() -> Callable[[Any], Any]:
    try:
        from rapidocr_onnxruntime import RapidOCR
    except ImportError as fault:
        msg = "documents.ocr = 'rapidocr' needs the package rapidocr-onnxruntime; install it with pip install 'kohaku[ocr]'"
        raise ModelError(msg) from fault
    return RapidOCR()


def _line(corners: Any, text: str, scale: float) -> Line:
    xs, ys = [float(x) / scale for x, _ in corners], [float(y) / scale for _, y in corners]
    box = Box(min(xs), min(ys), max(xs), max(ys))
    return Line(clean_text(text), box, round(_SIZE_SHARE * box.height), False, -1)
