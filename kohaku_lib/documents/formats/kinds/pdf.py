"""A PDF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kohaku_lib.documents.formats.interface import FORMATS, Attachments, FormatKind
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload


def parse(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a PDF; raises DocumentError where it cannot."""
    from kohaku_lib.documents.formats.pdf.parse_pdf import parse_pdf

    return parse_pdf(path, document_id, settings)


def attachments(path: Path) -> Attachments:
    """Return the files within a PDF; raises DocumentError where it cannot be opened."""
    from kohaku_lib.documents.formats.pdf.attached import files_within_pdf

    return files_within_pdf(path)


def draw_pages(path: Path, pages: Sequence[int]) -> list[dict[str, Any]]:
    """Draw pages for the viewer."""
    from kohaku_lib.documents.viewer.rendered_pages import render_pages

    return render_pages(path, pages)


FORMATS.register(
    FormatKind(
        "pdf",
        {".pdf": "application/pdf"},
        parse,
        settings_keys=("parser", "sections", "headers_footers", "min_image_size"),
        reads_by_ocr=True,
        modules=("pymupdf", "kohaku_lib.documents.formats.pdf.parse_pdf"),
        attachments=attachments,
        draw_pages=draw_pages,
        order=1,
    )
)
