"""Pages of a PDF: the text they carry where it can be used, else what OCR reads on their pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from kohaku_lib.documents.formats.pdf.text.page_text import PageText, read_page_text
from kohaku_lib.documents.ocr.broken_text import is_broken_text
from kohaku_lib.documents.ocr.choice import engine_identity, open_engine
from kohaku_lib.documents.ocr.engine import OcrEngine, Pixels
from kohaku_lib.documents.ocr.page_lines import page_of_ocr
from kohaku_lib.documents.ocr.read_image import OcrText, read_rendered
from kohaku_lib.settings import DocumentsSettings

if TYPE_CHECKING:
    import pymupdf

_LONGEST_SIDE_PX = 4000
_POINTS_PER_INCH = 72
_COVERED = 0.8  # share of the page under pictures from which it counts as a scan
_STAMP_CHARACTERS = 100  # letters and digits; fewer on a scan are a stamp, a page number or a title beside a photograph
_GAIN = 1.5  # OCR must read so many times the characters of a stamp's page to be worth more than its own text

PageState: TypeAlias = Literal["layer", "ocr", "broken", "silent", "blank"]


@dataclass(frozen=True, slots=True)
class PageReading:
    """The text of a page and where it comes from.

    `state`: "layer" the page's own text, "ocr", "broken" an unusable text that was dropped, "silent" a picture
    that was not or could not be read, "blank" nothing to read.
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
    """Return the text of `page`: its own layer, or what OCR reads where that is missing, broken or a mere stamp.

    `engine_of` gives the engine, None where there is none; pages with a good text do not ask for it.
    """
    layer = read_page_text(page, number)
    letters = count_letters(layer)
    broken = is_broken_text("\n".join(line.text for line in (*layer.lines, *layer.asides)))
    if letters and not broken and not (letters < _STAMP_CHARACTERS and _is_scan(page)):
        return PageReading(layer, "layer")
    if not letters and not _shows_something(page):
        return PageReading(layer, "blank")
    engine = engine_of(settings)
    found = _read(page, number, engine, settings) if engine is not None else None
    if found is not None and count_letters(found.text) > (0 if broken else _GAIN * letters):
        return found
    if broken:
        return PageReading(PageText(number, layer.width, layer.height, (), (), layer.turn), "broken")
    return PageReading(layer, "layer" if letters else "silent")


def count_letters(text: PageText) -> int:
    """Return the number of letters and digits on the page."""
    return sum(sum(map(str.isalnum, line.text)) for line in (*text.lines, *text.asides))


def reading_facts(readings: Sequence[PageReading], settings: DocumentsSettings) -> dict[str, Any]:
    """Return what a document's metadata say about OCR: the numbers of pages, by what became of them, and the engine."""
    lists = {
        "pages_without_text": [r.text.number for r in readings if not r.text.lines and not r.text.asides],
        "pages_with_broken_text": [r.text.number for r in readings if r.state == "broken"],
        "pages_read_by_ocr": [r.text.number for r in readings if r.state == "ocr"],
        "pages_with_low_ocr_confidence": [r.text.number for r in readings if r.low_confidence],
    }
    facts: dict[str, Any] = {name: pages for name, pages in lists.items() if pages}
    return {**facts, **({"ocr_engine": engine_identity(settings.ocr)} if lists["pages_read_by_ocr"] else {})}


def _read(page: pymupdf.Page, number: int, engine: OcrEngine, settings: DocumentsSettings) -> PageReading:
    longest = max(page.rect.width, page.rect.height)
    pixels_per_point = min(settings.ocr_dpi / _POINTS_PER_INCH, _LONGEST_SIDE_PX / longest)
    read: OcrText = read_rendered(partial(_rendered, page, pixels_per_point), engine, settings)
    turn = (page.rotation // 90 + read.turn) % 4
    text = page_of_ocr(read, number, 1 / pixels_per_point, turn)
    return PageReading(text, "ocr", read.low_confidence)


def _rendered(page: pymupdf.Page, pixels_per_point: float, scale: float) -> Pixels:
    import numpy as np
    import pymupdf

    matrix = pymupdf.Matrix(pixels_per_point * scale, pixels_per_point * scale)
    pixmap = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csRGB, alpha=False)
    return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)


def _shows_something(page: pymupdf.Page) -> bool:
    return bool(page.get_images() or page.get_cdrawings())


def _is_scan(page: pymupdf.Page) -> bool:
    """Tell whether pictures cover nearly the whole page."""
    covered = 0.0
    for info in page.get_image_info():
        x0, y0, x1, y1 = info["bbox"]
        width = min(x1, page.cropbox.width) - max(x0, 0.0)
        height = min(y1, page.cropbox.height) - max(y0, 0.0)
        covered += max(width, 0.0) * max(height, 0.0)
    return covered >= _COVERED * page.cropbox.width * page.cropbox.height
