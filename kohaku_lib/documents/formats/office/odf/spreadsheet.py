"""Parse OpenDocument spreadsheets into payloads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kohaku_lib.documents.formats.office.odf.odf_file import (
    OFFICE,
    TABLE,
    TEXT,
    OdfFile,
    cells_of,
    rows_of,
    whole_number,
)
from kohaku_lib.documents.formats.office.odf.text_document import comments_of
from kohaku_lib.documents.formats.office.spreadsheet_tables import sheet_paragraphs
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload, SectionPayload

_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384  # of a sheet, as in spreadsheet programs
_MOST_REPEATED = 1000  # times that a cell or row with a text is


def parse_ods(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a spreadsheet into a section per sheet with its rows as tables (see `sheet_paragraphs`).

    Cells contain their text as it is shown, merged ones in their first cell; comments are in the metadata.

    Raises:
        DocumentError: The file is damaged, encrypted or without values.

    """
    file = OdfFile(path, "spreadsheet")
    sections = tuple(filter(None, map(_sheet_section, file.body.iterchildren(f"{TABLE}table"))))
    if not sections:
        msg = f"{path.name!r} contains no values"
        raise DocumentError(msg)
    properties = file.properties()
    title = properties.pop("title", "") or path.stem
    comments = list(comments_of(file.body))
    text = "\n\n".join(paragraph.text for section in sections for paragraph in section.paragraphs)
    known = {**properties, **({"comments": comments} if comments else {})}
    return DocumentPayload(document_id, title, text, known, sections)


def _sheet_section(sheet: Any) -> SectionPayload | None:
    name = " ".join((sheet.get(f"{TABLE}name") or "").split()) or "Sheet"
    paragraphs = tuple(sheet_paragraphs(enumerate(_row_texts(sheet), start=1), {"sheet": name}))
    metadata = {"level": 1, "heading_path": [name], "sheet": name}
    return SectionPayload(name, paragraphs, metadata) if paragraphs else None


def _row_texts(sheet: Any) -> Iterator[list[str]]:
    left = _MOST_ROWS
    for row in rows_of(sheet):
        cells: list[str] = []
        for cell, times in cells_of(row):
            text = _cell_text(cell)
            cells += [text] * min(times, _MOST_REPEATED if text else times, _MOST_COLUMNS - len(cells))
        while cells and not cells[-1]:
            cells.pop()
        times = whole_number(row.get(f"{TABLE}number-rows-repeated"), 1, _MOST_REPEATED if cells else left)
        for _ in range(min(times, left)):
            yield cells
        left -= min(times, left)


def _cell_text(cell: Any) -> str:
    if cell.tag == f"{TABLE}covered-table-cell":
        return ""
    lines = [" ".join("".join(_shown(one)).split()) for one in cell.iterchildren(f"{TEXT}p")]
    return "\n".join(filter(None, lines)) or cell.get(f"{OFFICE}value") or cell.get(f"{OFFICE}string-value") or ""


def _shown(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield from [" "] if child.tag == f"{TEXT}s" else _shown(child)
        yield child.tail or ""
