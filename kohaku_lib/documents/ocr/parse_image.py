"""Parse image files with OCR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kohaku_lib.documents.failures import NeedsOcrError
from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.headings import body_size, mark_headings
from kohaku_lib.documents.formats.pdf.page_blocks import page_blocks
from kohaku_lib.documents.formats.pdf.sections import build_sections
from kohaku_lib.documents.formats.pdf.tables.captions import with_table_captions
from kohaku_lib.documents.formats.pdf.text.continuation import join_continued
from kohaku_lib.documents.formats.pdf.text.hyphens import vocabulary_of
from kohaku_lib.documents.formats.pdf.text.page_text import PageText
from kohaku_lib.documents.formats.pdf.text.running_headers import furniture_facts, without_furniture
from kohaku_lib.documents.ocr.engine import Pixels
from kohaku_lib.documents.ocr.engine_selection import engine_identity, ocr_remedy, open_engine
from kohaku_lib.documents.ocr.page_lines import page_of_ocr
from kohaku_lib.documents.ocr.pdf_pages import PageReading, count_letters, reading_facts
from kohaku_lib.documents.ocr.read_image import read_image_text
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload

if TYPE_CHECKING:
    from PIL import Image

_MOST_PIXELS = 200_000_000
_POINTS_PER_INCH = 72
_USUAL_DPI, _LEAST_DPI = 150.0, 50.0


def parse_image(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an image file with the OCR engine of `settings`, one page per frame.

    Paragraphs have `page` and `bbox` like those of a PDF, in points at the image's own resolution.

    Raises:
        NeedsOcrError: No OCR engine is available.
        DocumentError: The file is not an image, is too large or shows no text.

    """
    engine = open_engine(settings)
    readings: list[PageReading] = []
    for number, (pixels, dpi) in enumerate(_image_frames(path), 1):
        if engine is None:
            msg = f"{path.name!r} is an image and needs OCR; {ocr_remedy(settings)}"
            raise NeedsOcrError(msg)
        read = read_image_text(pixels, engine, settings)
        text = page_of_ocr(read, number, _POINTS_PER_INCH / dpi, read.turn)
        readings.append(PageReading(text, "ocr" if count_letters(text) else "silent", read.low_confidence))
    if all(reading.state == "silent" for reading in readings):
        msg = f"{path.name!r} shows no text that {engine_identity(settings.ocr)} can read"
        raise DocumentError(msg)
    return _document_payload(readings, document_id, path.stem, settings)


def _document_payload(
    readings: Sequence[PageReading], document_id: str, stem: str, settings: DocumentsSettings
) -> DocumentPayload:
    texts = [reading.text for reading in readings]
    shown = without_furniture(texts) if settings.headers_footers == "remove" else texts
    blocks = _document_blocks(shown)
    title = next((block.text for block in blocks if block.kind == "heading" and block.level == 1), stem)
    sections = build_sections(blocks, {text.number: text for text in texts}, title, settings.sections)
    body = "\n\n".join(block.text for block in blocks)
    metadata = {"pages": len(readings), **reading_facts(readings, settings), **furniture_facts(shown)}
    return DocumentPayload(document_id, title, body, metadata, sections)


def _document_blocks(pages: Sequence[PageText]) -> list[Block]:
    vocabulary = vocabulary_of(line.text for page in pages for line in page.lines)
    blocks = [block for page in pages for block in with_table_captions(page_blocks(page, (), vocabulary))]
    mark_headings(blocks, body_size(pages), {})
    return join_continued(blocks, vocabulary)


def _image_frames(path: Path) -> Iterator[tuple[Pixels, float]]:
    """Yield the pixels of every frame, on a white background, with its resolution in dots per inch."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            for index in range(getattr(image, "n_frames", 1)):
                image.seek(index)
                _check_size(image, path)
                yield _frame_pixels(image), _resolution_dpi(image)
    except UnidentifiedImageError as fault:
        msg = f"{path.name!r} is damaged beyond repair or is not an image"
        raise DocumentError(msg) from fault
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as fault:
        reason = " ".join(str(fault).split()) or type(fault).__name__
        msg = f"{path.name!r} cannot be read as an image ({reason})"
        raise DocumentError(msg) from fault


def _check_size(image: Image.Image, path: Path) -> None:
    if image.width * image.height > _MOST_PIXELS:
        msg = f"{path.name!r} has {image.width} x {image.height} pixels, more than {_MOST_PIXELS}; save it smaller"
        raise DocumentError(msg)


def _frame_pixels(image: Image.Image) -> Pixels:
    import numpy as np
    from PIL import Image, ImageOps

    upright = ImageOps.exif_transpose(image)
    if upright.mode.startswith("I;16") or upright.mode in {"I", "F"}:
        return _with_full_contrast(upright)
    if upright.has_transparency_data:
        white = Image.new("RGBA", upright.size, "white")
        upright = Image.alpha_composite(white, upright.convert("RGBA"))
    return np.asarray(upright.convert("RGB"))


def _with_full_contrast(image: Image.Image) -> Pixels:
    """Return an image of more than 8 bits scaled so that its darkest and brightest values are black and white."""
    import numpy as np

    values = np.asarray(image, dtype=np.float64)
    low, high = float(values.min()), float(values.max())
    grey = ((values - low) * (255 / (high - low if high > low else 1.0))).astype(np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)


def _resolution_dpi(image: Image.Image) -> float:
    stated = image.info.get("dpi", (0.0, 0.0))
    dpi = float(stated[0]) if isinstance(stated, tuple) else 0.0
    return dpi if dpi >= _LEAST_DPI else _USUAL_DPI
