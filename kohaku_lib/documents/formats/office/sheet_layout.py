"""Which cells of a sheet are hidden, merged or without a stored value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple

from kohaku_lib.documents.formats.office.struck_cells import Pieces, pieces_of


def read_layout(source: IO[bytes], shared: Mapping[str, Pieces]) -> SheetLayout:
    """Return the layout of a sheet from its XML, which is read as a stream.

    `shared` are the strings of the workbook that are in several styles. Rows of no height and columns of no width count as
    hidden. Merged ranges that overlap are filled by the first.
    """
    from openpyxl.utils.cell import coordinate_to_tuple
    from openpyxl.xml.functions import iterparse

    layout = SheetLayout()
    row = column = 0
    for event, element in iterparse(source, events=("start", "end")):
        tag = element.tag.removeprefix(_NAMESPACE)
        if event == "start":
            if tag == "row":
                row, column = int(float(element.get("r", row + 1))), 0
        elif tag == "c":
            row, column = coordinate_to_tuple(element.get("r")) if element.get("r") else (row, column + 1)
            layout.add_cell(element, row, column, shared)
        elif tag == "row":
            if _is_hidden(element, "ht"):
                layout.hidden_rows.add(row)
            element.clear()
        elif tag == "col" and _is_hidden(element, "width"):
            with suppress(ValueError, TypeError):  # a range that is none hides nothing
                layout.hidden_columns.append(range(int(element.get("min")), int(element.get("max")) + 1))
        elif tag in _RUNNING and element.text:
            layout.running_texts.append((_RUNNING[tag], element.text))
        elif tag == "mergeCell":
            first, _, last = (element.get("ref") or "").partition(":")
            with suppress(ValueError, TypeError):
                layout.merged.append(MergedRange(*coordinate_to_tuple(first), *coordinate_to_tuple(last or first)))
    return layout


class MergedRange(NamedTuple):
    """The first and last row and column of a merged range, 1-based."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class SheetLayout:
    """What a sheet says of its rows, columns and cells; numbers of rows and columns are 1-based."""

    cells: int = 0  # with a value
    columns: int = 0  # the last with a value
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: list[range] = field(default_factory=list)
    merged: list[MergedRange] = field(default_factory=list)
    formulas_without_value: list[str] = field(default_factory=list)
    pieces: dict[tuple[int, int], Pieces] = field(default_factory=dict)  # of texts in several styles, by row and column
    running_texts: list[tuple[str, str]] = field(default_factory=list)  # "header" or "footer", and its codes

    def add_cell(self, element: Any, row: int, column: int, shared: Mapping[str, Pieces]) -> None:
        """Add what the XML element of a cell says; `shared` are the strings in several styles that it may refer to."""
        from openpyxl.utils.cell import get_column_letter

        stated = element.findtext(f"{_NAMESPACE}v")
        kind = element.get("t")
        inline = element.find(f"{_NAMESPACE}is") if kind == "inlineStr" else None
        pieces = pieces_of(inline) if inline is not None else shared.get(stated) if kind == "s" and stated else None
        if pieces:
            self.pieces[row, column] = pieces
        if stated or kind == "inlineStr":
            self.cells += 1
            self.columns = max(self.columns, column)
        elif element.find(f"{_NAMESPACE}f") is not None and kind != "str":  # "" is stored as str
            self.formulas_without_value.append(f"{get_column_letter(column)}{row}")


def with_merged_cells(rows: Iterator[tuple[int, list[str]]], layout: SheetLayout) -> Iterator[tuple[int, list[str]]]:
    """Yield numbered rows with the text of merged ranges in each of their cells; rows that have nothing else are left out.

    A range that is alone in its row, such as a title, has its text in its first cell only. Beyond a bound of 20 cells per
    cell with a value nothing more is filled.
    """
    from_top = sorted(layout.merged, reverse=True)
    open_ranges: list[tuple[MergedRange, str]] = []
    left = _FREE_CELLS + _CELLS_PER_CELL * layout.cells
    for number, row in rows:
        open_ranges = [(area, text) for area, text in open_ranges if area.bottom >= number]
        has_own = any(row)
        is_title = not open_ranges and sum(map(bool, row)) == 1
        while from_top and from_top[-1].top <= number:
            area = from_top.pop()
            text = row[area.left - 1] if area.top == number and area.left <= len(row) else ""
            if text and (area.bottom > number or area.right > area.left):
                open_ranges.append((area, text))
        if not has_own and open_ranges:
            continue
        for area, text in [] if is_title else open_ranges:
            last = min(area.right, layout.columns)
            left -= max(last - area.left + 1, 1)
            if left < 0:
                break
            row.extend([""] * (last - len(row)))
            row[area.left - 1 : last] = [cell or text for cell in row[area.left - 1 : last]]
        yield number, row


_RUNNING = {f"{pages}{kind.title()}": kind for pages in ("odd", "even", "first") for kind in ("header", "footer")}
_FREE_CELLS, _CELLS_PER_CELL = 20_000, 20
_NAMESPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def _is_hidden(element: Any, size: str) -> bool:
    return element.get("hidden") in ("1", "true") or element.get(size) in ("0", "0.0")
