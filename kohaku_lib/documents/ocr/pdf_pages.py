"""Read the text of PDF pages from the text layer if it is usable, else by OCR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from kohaku_lib.documents.formats.pdf.text.page_text import PageText, read_page_text
from kohaku_lib.documents.ocr.broken_text import is_broken_text
from kohaku_lib.documents.ocr.engine import OcrEngine, Pixels
from kohaku_lib.documents.ocr.engine_selection import engine_identity, open_engine
from kohaku_lib.documents.ocr.page_lines import page_of_ocr
from kohaku_lib.documents.ocr.read_image import OcrText, read_rendered
from kohaku_lib.settings import DocumentsSettings

if TYPE_CHECKING:
    import pymupdf

_LONGEST_SIDE_PX = 4000
_POINTS_PER_INCH = 72
_COVERED = 0.8  # share of the page under images from which it counts as a scan
_STAMP_CHARACTERS = 100  # letters and digits; fewer on a scan are a stamp, a page number or a photograph's title
_GAIN = 1.5  # OCR must find this many times the characters of the text layer to replace it

PageState: TypeAlias = Literal["layer", "ocr", "broken", "silent", "blank"]


@dataclass(frozen=True, slots=True)
class PageReading:
    """The text of a page and its origin.

    `state`: "layer" for the page's text layer, "ocr", "broken" for an unusable text layer that was dropped, "silent"
    for an image that was not or could not be read, "blank" for an empty page.
    """

    text: PageText
    state: PageState
    low_confidence: bool = False


def read_page(
    page: pymupdf.Page,
    number: int,
    settings: DocumentsSettings,
    engine_of: Callable[[DocumentsSettings], OcrEngine | None] = open_engine,
) -> PageReading:
    """Return the text of `page`: its text layer, or the OCR result if the layer is missing, broken or only a stamp.

    `engine_of` returns the OCR engine or None; it is called only for pages without usable text.
    """
    layer = read_page_text(page, number)
    letters = count_letters(layer)
    broken = is_broken_text("\n".join(line.text for line in (*layer.lines, *layer.asides)))
    if letters and not broken and not (letters < _STAMP_CHARACTERS and _is_scan(page)):
        return PageReading(layer, "layer")
    if not letters and not _has_graphics(page):
        return PageReading(layer, "blank")
    engine = engine_of(settings)
    reading = _read_by_ocr(page, number, engine, settings) if engine is not None else None
    if reading is not None and count_letters(reading.text) > (0 if broken else _GAIN * letters):
        return reading
    if broken:
        return PageReading(PageText(number, layer.width, layer.height, (), (), layer.turn), "broken")
    return PageReading(layer, "layer" if letters else "silent")


def count_letters(text: PageText) -> int:
    """Return the number of letters and digits on the page."""
    return sum(sum(map(str.isalnum, line.text)) for line in (*text.lines, *text.asides))


def reading_facts(readings: Sequence[PageReading], settings: DocumentsSettings) -> dict[str, Any]:
    """Return the OCR facts of a document's metadata: page numbers by outcome, and the engine."""
    lists = {
        "pages_without_text": [r.text.number for r in readings if not r.text.lines and not r.text.asides],
        "pages_with_broken_text": [r.text.number for r in readings if r.state == "broken"],
        "pages_read_by_ocr": [r.text.number for r in readings if r.state == "ocr"],
        "pages_with_low_ocr_confidence": [r.text.number for r in readings if r.low_confidence],
    }
    facts: dict[str, Any] = {name: pages for name, pages in lists.items() if pages}
    return {**facts, **({"ocr_engine": engine_identity(settings.ocr)} if lists["pages_read_by_ocr"] else {})}


def _read_by_ocr(page: pymupdf.Page, number: int, engine: OcrEngine, settings: DocumentsSettings) -> PageReading:
    longest = max(page.rect.width, page.rect.height)
    pixels_per_point = min(settings.ocr_dpi / _POINTS_PER_INCH, _LONGEST_SIDE_PX / longest)
    read: OcrText = read_rendered(partial(_render_page, page, pixels_per_point), engine, settings)
    turn = (page.rotation // 90 + read.turn) % 4
    text = page_of_ocr(read, number, 1 / pixels_per_point, turn)
    return PageReading(text, "ocr", read.low_confidence)


def _render_page(page: pymupdf.Page, pixels_per_point: float, scale: float) -> Pixels:
    import numpy as np
    import pymupdf

    matrix = pymupdf.Matrix(pixels_per_point * scale, pixels_per_point * scale)
    pixmap = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csRGB, alpha=False)
    return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)


def _has_graphics(page: pymupdf.Page) -> bool:
    return bool(page.get_images() or page.get_cdrawings())


def _is_scan(page: pymupdf.Page) -> bool:
    """Return whether images cover most of the page."""
    covered = 0.0
    for info in page.get_image_info():
        x0, y0, x1, y1 = info["bbox"]
        width = min(x1, page.cropbox.width) - max(x0, 0.0)
        height = min(y1, page.cropbox.height) - max(y0, 0.0)
        covered += max(width, 0.0) * max(height, 0.0)
    return covered >= _COVERED * page.cropbox.width * page.cropbox.height
