"""The OCR reader of text in figures."""

from __future__ import annotations

from kohaku_lib.documents import OcrDescriber
from kohaku_lib.documents.ocr import open_engine
from kohaku_lib.settings import DocumentsSettings


def make_image_reader(documents: DocumentsSettings) -> OcrDescriber | None:
    """Return the OCR reader of text in figures; None if no OCR engine is available."""
    engine = open_engine(documents)
    return OcrDescriber(engine, documents) if engine is not None else None
