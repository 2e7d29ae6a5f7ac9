"""Take the struck-out text out of the cells of an Excel workbook."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kohaku_lib.documents.formats.shared.struck_text import without_struck
from kohaku_lib.documents.formats.shared.xml_tree import xml_root

Pieces = list[tuple[str, bool | None]]  # of a text, with whether each is struck out, None: as its cell is


@dataclass(slots=True)
class StruckCells:
    """The struck-out text of the cells of a workbook that openpyxl has open read-only."""

    styles: frozenset[int]  # of cells, by their numbers
    shared: dict[str, Pieces]  # the texts in several styles, by their numbers in the table of strings
    texts: list[str] = field(default_factory=list)  # what was struck out of the cells that were read

    @classmethod
    def of(cls, book: Any) -> StruckCells:
        """Return those of a workbook, of which no cell was read yet."""
        styles = frozenset(number for number, style in enumerate(book._cell_styles) if book._fonts[style.fontId].strike)
        archive, shared = book._archive, dict[str, Pieces]()
        for name in archive.namelist():
            data = archive.read(name) if name.lower() == "xl/sharedstrings.xml" else b""
            if styles or b"strike" in data:
                strings = xml_root(data, name).iterchildren("{*}si") if data else ()
                shared |= {str(number): pieces for number, one in enumerate(strings) if (pieces := pieces_of(one))}
        return cls(styles, shared)

    def shown(self, text: str, style: int, pieces: Pieces | None) -> str:
        """Return the text of a cell without what is struck out of it, which is added to the texts."""
        is_struck = style in self.styles
        kept, struck = without_struck(
            [(piece, is_struck if own is None else own) for piece, own in pieces or [(text, None)]]
        )
        self.texts += struck
        return kept if struck else text


def pieces_of(element: Any) -> Pieces:
    """Return the pieces of a string or of the text within a cell, none where it is all in the style of its cell."""
    runs = list(_runs(element))
    return runs if any(own is not None for _, own in runs) else []


def _runs(element: Any) -> Iterator[tuple[str, bool | None]]:
    for run in element.iterfind("{*}r"):
        properties = run.find("{*}rPr")
        line = None if properties is None else properties.find("{*}strike")
        own = None if properties is None else line is not None and line.get("val") not in {"0", "false"}
        yield run.findtext("{*}t") or "", own
