"""Parse PDFs: text in reading order, tables, images, sections."""

from kohaku_lib.documents.formats.pdf.parse_pdf import parse_pdf

__all__ = ["parse_pdf"]
