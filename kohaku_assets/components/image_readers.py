"""What reads the words within figures."""

from __future__ import annotations

from kohaku_lib.documents import OcrDescriber
from kohaku_lib.documents.ocr import open_engine
from kohaku_lib.settings import DocumentsSettings


def make_image_reader(documents: DocumentsSettings) -> OcrDescriber | None:
    """Return what reads the words within figures; None where there is no OCR engine."""
    engine = open_engine(documents)
    return OcrDescriber(engine, documents) if engine is not None else None
