"""What to do where a document needs OCR and there is none."""

from __future__ import annotations

from kohaku_lib.settings import DocumentsSettings


def ocr_remedy(settings: DocumentsSettings) -> str:
    """Return the end of a sentence that says how to switch OCR on.

    >>> ocr_remedy(DocumentsSettings(ocr="off"))
    "set documents.ocr to 'auto', 'rapidocr' or 'tesseract'"
    """
    if settings.ocr == "off":
        return "set documents.ocr to 'auto', 'rapidocr' or 'tesseract'"
    return "install an engine for documents.ocr = 'auto': pip install 'kohaku[ocr]', or the tesseract command"
