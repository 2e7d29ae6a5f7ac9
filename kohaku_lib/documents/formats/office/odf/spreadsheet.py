"""Parse OpenDocument spreadsheets into payloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kohaku_lib.documents.formats.html.document import outline_of
from kohaku_lib.documents.formats.html.text import SOFT_HYPHEN
from kohaku_lib.documents.formats.office.hidden_cells import HiddenCells, trimmed
from kohaku_lib.documents.formats.office.odf.odf_file import (
    DRAW,
    OFFICE,
    STYLE,
    TABLE,
    TEXT,
    OdfFile,
    cells_of,
    rows_of,
    whole_number,
)
from kohaku_lib.documents.formats.office.odf.page import OdfPage
from kohaku_lib.documents.formats.office.odf.text_document import comments_of
from kohaku_lib.documents.formats.office.sheet_layout import MergedRange, SheetLayout, with_merged_cells
from kohaku_lib.documents.formats.office.spreadsheet_tables import sheet_paragraphs
from kohaku_lib.documents.formats.office.unread_parts import with_unread_parts
from kohaku_lib.documents.formats.shared.struck_text import without_struck
from kohaku_lib.documents.lost_parts import struck_facts
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload

_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384  # of a sheet, as in spreadsheet programs
_STYLE_NAME, _ROWS_REPEATED = f"{TABLE}style-name", f"{TABLE}number-rows-repeated"
_VALUE_TYPE = f"{OFFICE}value-type"
_BLANKS = frozenset(f"{TEXT}{name}" for name in ("s", "tab", "line-break"))
_MOST_REPEATED = 1000  # times that a cell or row with a text is


def parse_ods(path: Path, document_id: str, settings: DocumentsSettings) -> DocumentPayload:
    """Parse a spreadsheet into a section per sheet with its rows as tables (see `sheet_paragraphs`), then what is drawn on it.

    Cells contain their text as it is shown, those of a merged range all that of its first; comments are in the metadata.
    Hidden sheets, rows and columns are left out unless `hidden_cells` is "keep", and named in the metadata as those of Excel
    are.

    Raises:
        DocumentError: The file is damaged, encrypted or without values.

    """
    file = OdfFile(path, "spreadsheet")
    sheets = list(file.body.iterchildren(f"{TABLE}table"))
    keeps = settings.hidden_cells == "keep"
    unseen = frozenset() if keeps else _hidden_styles(file)
    hidden = [[_name_of(sheet), "the whole sheet"] for sheet in sheets if sheet.get(_STYLE_NAME) in unseen]
    shown = (sheet for sheet in sheets if sheet.get(_STYLE_NAME) not in unseen)
    struck, page = _Struck(file.line_through()), OdfPage(file)
    sections = tuple(filter(None, (_sheet_section(sheet, hidden, struck, page, keeps_hidden=keeps) for sheet in shown)))
    if not sections:
        msg = f"{path.name!r} contains no values"
        raise DocumentError(msg)
    properties = file.properties()
    title = properties.pop("title", "") or path.stem
    comments = list(comments_of(file.body))
    text = "\n\n".join(paragraph.text for section in sections for paragraph in section.paragraphs)
    named = {"comments": comments, "hidden_cells": hidden}
    known = properties | {key: value for key, value in named.items() if value} | struck_facts(struck.texts)
    return with_unread_parts(DocumentPayload(document_id, title, text, known, sections), path)


def _hidden_styles(file: OdfFile) -> frozenset[str]:
    """Return the names of the styles of sheets that are not shown."""
    return frozenset(
        style.get(f"{STYLE}name")
        for style in file.all_styles()
        for properties in style.iterchildren(f"{STYLE}table-properties")
        if properties.get(f"{TABLE}display") == "false"
    )


def _hidden_numbers(elements: Iterable[Any], repeated: str) -> set[int]:
    """Return the numbers of the hidden rows or columns, from 1."""
    found: set[int] = set()
    number = 1
    for element in elements:
        times = whole_number(element.get(repeated), 1, _MOST_ROWS)
        if element.get(f"{TABLE}visibility") in {"collapse", "filter"}:
            found.update(range(number, number + min(times, _MOST_REPEATED)))
        number += times
    return found


def _name_of(sheet: Any) -> str:
    return " ".join((sheet.get(f"{TABLE}name") or "").split()) or "Sheet"


@dataclass(slots=True)
class _Struck:
    """The styles that say whether they strike out, and the texts that were."""

    line_through: dict[str, bool]
    texts: list[str] = field(default_factory=list)

    def shown(self, element: Any, is_struck: bool) -> str:
        """Return the text of a paragraph without what is struck out, which is added to the texts."""
        pieces = list(self._pieces(element, is_struck))
        kept, struck = without_struck(pieces)
        self.texts += struck
        return kept.replace(SOFT_HYPHEN, "")

    def _pieces(self, element: Any, is_struck: bool) -> Iterator[tuple[str, bool]]:
        is_struck = self.line_through.get(element.get(f"{TEXT}style-name"), is_struck)
        yield element.text or "", is_struck
        for child in element:
            if child.tag in _BLANKS:
                yield " ", is_struck
            elif child.tag != f"{TEXT}ruby-text":  # the reading above a word
                yield from self._pieces(child, is_struck)
            yield child.tail or "", is_struck


def _sheet_section(
    sheet: Any, hidden: list[list[str]], struck: _Struck, page: OdfPage, *, keeps_hidden: bool
) -> SectionPayload | None:
    name = _name_of(sheet)
    rows, left_out = with_merged_cells(_row_texts(sheet, struck), _layout(sheet)), HiddenCells()
    if not keeps_hidden:
        hidden_rows = _hidden_numbers(rows_of(sheet), _ROWS_REPEATED)
        columns = _hidden_numbers(sheet.iter(f"{TABLE}table-column"), f"{TABLE}number-columns-repeated")
        rows = left_out.visible(rows, hidden_rows, columns)
    paragraphs = tuple(sheet_paragraphs(rows, {"sheet": name}))
    drawn = outline_of(page.body(_drawn(sheet)))
    struck.texts += drawn.struck
    paragraphs += tuple(
        ParagraphPayload(one.text, one.sentences, {**one.metadata, "sheet": name})
        for section in drawn.sections(name)
        for one in section.paragraphs
    )
    hidden += [[name, place] for place in left_out.places()]
    metadata = {"level": 1, "heading_path": [name], "sheet": name}
    return SectionPayload(name, paragraphs, metadata) if paragraphs else None


def _drawn(sheet: Any) -> list[Any]:
    """Return the frames and shapes on a sheet, those in groups with their groups, but for the boxes of comments."""
    around = (f"{DRAW}*", f"{OFFICE}annotation")
    return [one for one in sheet.iterdescendants(f"{DRAW}*") if next(one.iterancestors(*around), None) is None]


def _row_texts(sheet: Any, struck: _Struck) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with their numbers in the sheet."""
    number = 1
    for row in rows_of(sheet):
        cells: list[str] = []
        before = len(struck.texts)
        for cell, times in cells_of(row):
            text = _cell_text(cell, struck)
            cells += [text] * min(times, _MOST_REPEATED if text else times, _MOST_COLUMNS - len(cells))
        cells = trimmed(cells)
        times = whole_number(row.get(_ROWS_REPEATED), 1, _MOST_ROWS)
        last = min(number + min(times, _MOST_REPEATED if cells else times), _MOST_ROWS + 1)
        if cells or len(struck.texts) == before:  # else it is struck out whole
            yield from ((place, list(cells)) for place in range(number, last))
        number += times


def _layout(sheet: Any) -> SheetLayout:
    """Return the merged ranges of a sheet, and how far its cells with a text or a value reach."""
    layout = SheetLayout()
    number = 1
    for row in rows_of(sheet):
        column = 1
        for cell, times in cells_of(row):
            if len(cell) or cell.get(_VALUE_TYPE):
                layout.cells += 1
                layout.columns = max(layout.columns, column + min(times, _MOST_REPEATED) - 1)
            down, right = (whole_number(cell.get(f"{TABLE}number-{kind}-spanned")) for kind in ("rows", "columns"))
            if max(down, right) > 1:
                layout.merged.append(MergedRange(number, column, number + down - 1, column + right - 1))
            column += times
        number += whole_number(row.get(_ROWS_REPEATED), 1, _MOST_ROWS)
    return layout


def _cell_text(cell: Any, struck: _Struck) -> str:
    if cell.tag == f"{TABLE}covered-table-cell":
        return ""
    is_struck, texts = struck.line_through.get(cell.get(_STYLE_NAME), False), len(struck.texts)
    lines = [" ".join(struck.shown(one, is_struck).split()) for one in cell.iterchildren(f"{TEXT}p")]
    written = "\n".join(filter(None, lines))
    if written or is_struck or len(struck.texts) > texts:
        return written
    return cell.get(f"{OFFICE}value") or cell.get(f"{OFFICE}string-value") or ""
