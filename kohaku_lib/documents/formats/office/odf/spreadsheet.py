"""Parse OpenDocument spreadsheets into payloads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openpyxl.utils import get_column_letter

from kohaku_lib.documents.formats.office.odf.odf_file import (
    OFFICE,
    STYLE,
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
_MOST_HIDDEN_COLUMNS = 1000
_BLANKS = frozenset(f"{TEXT}{name}" for name in ("s", "tab", "line-break"))
_MOST_REPEATED = 1000  # times that a cell or row with a text is


def parse_ods(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a spreadsheet into a section per sheet with its rows as tables (see `sheet_paragraphs`).

    Cells contain their text as it is shown, merged ones in their first cell; comments are in the metadata. Hidden sheets,
    rows and columns are left out unless `hidden_cells` is "keep", and named in the metadata as those of Excel are.

    Raises:
        DocumentError: The file is damaged, encrypted or without values.

    """
    file = OdfFile(path, "spreadsheet")
    hidden: list[list[str]] = []
    sheets = list(file.body.iterchildren(f"{TABLE}table"))
    keeps = settings.hidden_cells == "keep"
    if not keeps:
        unseen = _hidden_styles(file)
        sheets = [sheet for sheet in sheets if not _is_left_out(sheet, unseen, hidden)]
    sections = tuple(filter(None, (_sheet_section(sheet, keeps_hidden=keeps) for sheet in sheets)))
    if not sections:
        msg = f"{path.name!r} contains no values"
        raise DocumentError(msg)
    properties = file.properties()
    title = properties.pop("title", "") or path.stem
    comments = list(comments_of(file.body))
    text = "\n\n".join(paragraph.text for section in sections for paragraph in section.paragraphs)
    named = {"comments": comments, "hidden_cells": hidden}
    known = properties | {key: value for key, value in named.items() if value}
    return DocumentPayload(document_id, title, text, known, sections)


def _hidden_styles(file: OdfFile) -> frozenset[str]:
    """Return the names of the styles of sheets that are not shown."""
    return frozenset(
        style.get(f"{STYLE}name")
        for style in file.all_styles()
        for properties in style.iterchildren(f"{STYLE}table-properties")
        if properties.get(f"{TABLE}display") == "false"
    )


def _is_left_out(sheet: Any, unseen: frozenset[str], hidden: list[list[str]]) -> bool:
    """Return whether a sheet is hidden; take the hidden columns out of another. They and hidden rows are added to `hidden`."""
    name = _name_of(sheet)
    if sheet.get(f"{TABLE}style-name") in unseen:
        hidden.append([name, "the whole sheet"])
        return True
    columns = _hidden_columns(sheet)
    hidden += [[name, f"column {get_column_letter(place + 1)}"] for place in sorted(columns)]
    number = 1
    for row in list(rows_of(sheet)):
        times = whole_number(row.get(f"{TABLE}number-rows-repeated"), 1, _MOST_ROWS)
        if _is_hidden(row) and any(_cell_text(cell) for cell, _ in cells_of(row)):
            hidden.append([name, f"row {number}" if times == 1 else f"rows {number} to {number + times - 1}"])
        number += times
    _remove_columns(sheet, columns)
    return False


def _hidden_columns(sheet: Any) -> set[int]:
    """Return the places of the hidden columns, from 0."""
    found: set[int] = set()
    place = 0
    for column in sheet.iter(f"{TABLE}table-column"):
        times = whole_number(column.get(f"{TABLE}number-columns-repeated"), 1, _MOST_COLUMNS)
        if _is_hidden(column):
            found |= set(range(place, min(place + times, _MOST_HIDDEN_COLUMNS)))
        place += times
    return found


def _remove_columns(sheet: Any, columns: set[int]) -> None:
    for row in rows_of(sheet) if columns else ():
        place = 0
        for cell, times in list(cells_of(row)):
            if times == 1 and place in columns:
                row.remove(cell)
            place += times


def _is_hidden(element: Any) -> bool:
    return element.get(f"{TABLE}visibility") in {"collapse", "filter"}


def _name_of(sheet: Any) -> str:
    return " ".join((sheet.get(f"{TABLE}name") or "").split()) or "Sheet"


def _sheet_section(sheet: Any, *, keeps_hidden: bool) -> SectionPayload | None:
    name = _name_of(sheet)
    paragraphs = tuple(sheet_paragraphs(_row_texts(sheet, keeps_hidden=keeps_hidden), {"sheet": name}))
    metadata = {"level": 1, "heading_path": [name], "sheet": name}
    return SectionPayload(name, paragraphs, metadata) if paragraphs else None


def _row_texts(sheet: Any, *, keeps_hidden: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with their numbers in the sheet."""
    left = _MOST_ROWS
    for row in rows_of(sheet):
        cells: list[str] = []
        for cell, times in cells_of(row):
            text = _cell_text(cell)
            cells += [text] * min(times, _MOST_REPEATED if text else times, _MOST_COLUMNS - len(cells))
        while cells and not cells[-1]:
            cells.pop()
        times = whole_number(row.get(f"{TABLE}number-rows-repeated"), 1, _MOST_REPEATED if cells else left)
        number, times = _MOST_ROWS - left + 1, min(times, left)
        if keeps_hidden or not _is_hidden(row):
            yield from ((number + place, cells) for place in range(times))
        left -= times


def _cell_text(cell: Any) -> str:
    if cell.tag == f"{TABLE}covered-table-cell":
        return ""
    lines = [" ".join("".join(_shown(one)).split()) for one in cell.iterchildren(f"{TEXT}p")]
    return "\n".join(filter(None, lines)) or cell.get(f"{OFFICE}value") or cell.get(f"{OFFICE}string-value") or ""


def _shown(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield from [" "] if child.tag in _BLANKS else _shown(child)
        yield child.tail or ""
