"""Parse Excel workbooks into payloads."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kohaku_lib.documents.formats.html.text import SOFT_HYPHEN
from kohaku_lib.documents.formats.office.chart_sheets import chart_sheets
from kohaku_lib.documents.formats.office.hidden_cells import HiddenCells, trimmed
from kohaku_lib.documents.formats.office.number_formats import displayed
from kohaku_lib.documents.formats.office.office_files import check_office_file, office_properties
from kohaku_lib.documents.formats.office.sheet_layout import SheetLayout, read_layout, with_merged_cells
from kohaku_lib.documents.formats.office.sheet_surroundings import SheetSurroundings, running_text
from kohaku_lib.documents.formats.office.spreadsheet_tables import sheet_paragraphs
from kohaku_lib.documents.formats.office.struck_cells import StruckCells
from kohaku_lib.documents.formats.office.unread_parts import with_unread_parts
from kohaku_lib.documents.lost_parts import struck_facts
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload


def parse_xlsx(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a workbook into a section per sheet with its rows as tables (see `sheet_paragraphs`), then its drawings.

    Cells contain the stored values, not formulas, as their number formats display them (see `displayed`); those of a
    merged range all contain its value. Hidden sheets, rows and columns that have values are left out, unless
    `hidden_cells` is "keep", and named in the metadata as `hidden_cells`, pairs of a sheet and a place in it. Formulas
    without a stored value are named there as `formulas_without_value`, likewise, and comments as `comments`. Headers and
    footers stand once before the first sheet that has them. What is struck out is in the metadata alone.

    Raises:
        DocumentError: The file is damaged, encrypted or without values.

    """
    import openpyxl

    check_office_file(path)
    with warnings.catch_warnings(action="ignore"):  # about features that openpyxl ignores
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        around = _Around(StruckCells.of(book))
        try:
            keeps_hidden = settings.hidden_cells == "keep"
            sections = tuple(filter(None, (_section(sheet, around, keeps_hidden) for sheet in book.worksheets)))
            sections += tuple(chart_sheets(book, None if keeps_hidden else around.hidden))
        finally:
            book.close()
    if not sections:
        more = 'what is hidden is read with documents.hidden_cells = "keep"; ' if around.hidden else ""
        msg = f"{path.name!r} contains no values; {more}if it contains formulas, open and save it in a spreadsheet program"
        raise DocumentError(msg)
    properties = office_properties(path)
    title = properties.pop("title", "") or path.stem
    text = "\n\n".join(paragraph.text for section in sections for paragraph in section.paragraphs)
    named = {
        "hidden_cells": around.hidden,
        "formulas_without_value": around.formulas,
        "comments": around.comments,
    }
    metadata = properties | {name: pairs for name, pairs in named.items() if pairs} | struck_facts(around.struck.texts)
    return with_unread_parts(DocumentPayload(document_id, title, text, metadata, sections), path, around.left_out)


@dataclass(slots=True)
class _Around:
    """What is found beside the values: pairs of a sheet and a place in it, comments, headers and footers."""

    struck: StruckCells
    hidden: list[list[str]] = field(default_factory=list)
    formulas: list[list[str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    running: set[str] = field(default_factory=set)
    left_out: set[str] = field(default_factory=set)  # names of the parts of hidden sheets


def _section(sheet: Any, around: _Around, keeps_hidden: bool) -> SectionPayload | None:
    archive = sheet.parent._archive
    if sheet.sheet_state != "visible" and not keeps_hidden:
        around.hidden.append([sheet.title, "the whole sheet"])
        around.left_out |= SheetSurroundings(archive, sheet._worksheet_path).parts()
        return None
    with archive.open(sheet._worksheet_path) as source:
        layout = read_layout(source, around.struck.shared)
    around.formulas += [[sheet.title, place] for place in layout.formulas_without_value]
    rows = with_merged_cells(_row_texts(sheet, layout, around.struck), layout)
    hidden = HiddenCells()
    if not keeps_hidden:
        columns = {column for area in layout.hidden_columns for column in area[: layout.columns]}
        rows = hidden.visible(rows, layout.hidden_rows, columns)
    known = {"sheet": sheet.title}
    paragraphs = list(sheet_paragraphs(rows, known))
    around.hidden += [[sheet.title, place] for place in hidden.places()]
    surroundings = SheetSurroundings(archive, sheet._worksheet_path)
    around.comments += [f"{sheet.title} {comment}" for comment in surroundings.comments()]
    paragraphs += [ParagraphPayload(text, None, known) for text in surroundings.text_boxes()]
    paragraphs += filter(None, (one.paragraph(known) for one in surroundings.drawn()))
    if not paragraphs:
        return None
    running = [(kind, running_text(stated)) for kind, stated in layout.running_texts]
    new = {text: kind for kind, text in running if text and text not in around.running}
    around.running |= new.keys()
    before = [ParagraphPayload(text, None, {**known, "block": kind}) for text, kind in new.items()]
    metadata = {"level": 1, "heading_path": [sheet.title], "sheet": sheet.title}
    return SectionPayload(sheet.title, (*before, *paragraphs), metadata)


def _row_texts(sheet: Any, layout: SheetLayout, struck: StruckCells) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with their numbers, without those that are struck out whole."""
    sheet.reset_dimensions()  # the stated dimensions may be wrong
    for number, row in enumerate(sheet.iter_rows(), start=1):
        before = len(struck.texts)
        cells = [
            struck.shown(text, cell._style_id, layout.pieces.get((number, column)))
            if (text := _cell_text(cell))
            else ""
            for column, cell in enumerate(row, start=1)
        ]
        if any(cells) or len(struck.texts) == before:
            yield number, trimmed(cells)


def _cell_text(cell: Any) -> str:
    if cell.value is None:
        return ""
    try:
        return displayed(cell.value, cell.number_format or "General").replace(SOFT_HYPHEN, "")
    except (ArithmeticError, ValueError):  # a number or a format beyond what programs write
        return str(cell.value)
