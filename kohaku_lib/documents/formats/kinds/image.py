"""An image, whose text is read by OCR."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse an image, whose text is read by OCR; raises DocumentError where it cannot."""
    from kohaku_lib.documents.ocr.parse_image import parse_image

    return parse_image(path, document_id, settings)


FORMATS.register(
    FormatKind(
        "image",
        {
            ".png": "image/png",
            ".jpg": "image/jpeg",
            ".jpeg": "image/jpeg",
            ".tif": "image/tiff",
            ".tiff": "image/tiff",
            ".webp": "image/webp",
            ".bmp": "image/bmp",
        },
        parse,
        settings_keys=("sections", "headers_footers"),
        reads_by_ocr=True,
        modules=("kohaku_lib.documents.ocr.parse_image",),
        order=11,
    )
)
