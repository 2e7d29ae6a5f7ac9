"""Remedy text for documents that need OCR when it is unavailable."""

from __future__ import annotations

from kohaku_lib.settings import DocumentsSettings


def ocr_remedy(settings: DocumentsSettings) -> str:
    """Return a clause that explains how to enable OCR.

    >>> ocr_remedy(DocumentsSettings(ocr="off"))
    "set documents.ocr to 'auto', 'rapidocr' or 'tesseract'"
    """
    if settings.ocr == "off":
        return "set documents.ocr to 'auto', 'rapidocr' or 'tesseract'"
    return "install an engine for documents.ocr = 'auto': pip install 'kohaku[ocr]', or the tesseract command"
