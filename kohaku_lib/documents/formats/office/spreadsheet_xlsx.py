"""Parse Excel workbooks into payloads."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kohaku_lib.documents.formats.office.number_formats import displayed
from kohaku_lib.documents.formats.office.office_files import check_office_file, office_properties
from kohaku_lib.documents.formats.office.spreadsheet_tables import sheet_paragraphs
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload, SectionPayload


def parse_xlsx(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a workbook into a section per sheet with its rows as tables (see `sheet_paragraphs`).

    Cells contain the stored values, not formulas, as their number formats display them (see `displayed`).

    Raises:
        DocumentError: The file is damaged, encrypted or without values.

    """
    import openpyxl

    check_office_file(path)
    with warnings.catch_warnings(action="ignore"):  # about features that openpyxl ignores
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            sections = tuple(filter(None, map(_sheet_section, book.worksheets)))
        finally:
            book.close()
    if not sections:
        msg = f"{path.name!r} contains no values; if it contains formulas, open and save it in a spreadsheet program"
        raise DocumentError(msg)
    properties = office_properties(path)
    title = properties.pop("title", "") or path.stem
    text = "\n\n".join(paragraph.text for section in sections for paragraph in section.paragraphs)
    return DocumentPayload(document_id, title, text, properties, sections)


def _sheet_section(sheet: Any) -> SectionPayload | None:
    metadata = {"level": 1, "heading_path": [sheet.title], "sheet": sheet.title}
    paragraphs = tuple(sheet_paragraphs(_row_texts(sheet), {"sheet": sheet.title}))
    return SectionPayload(sheet.title, paragraphs, metadata) if paragraphs else None


def _row_texts(sheet: Any) -> Iterator[list[str]]:
    sheet.reset_dimensions()  # the stated dimensions may be wrong
    for row in sheet.iter_rows():
        cells = [_cell_text(cell) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        yield cells


def _cell_text(cell: Any) -> str:
    return "" if cell.value is None else displayed(cell.value, cell.number_format or "General")
