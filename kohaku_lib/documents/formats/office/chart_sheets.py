"""Read the sheets of an Excel workbook that are one chart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kohaku_lib.documents.formats.office.sheet_surroundings import SheetSurroundings, related_parts
from kohaku_lib.documents.formats.shared.xml_tree import xml_root
from kohaku_lib.tables import SectionPayload

_BOOK = "xl/workbook.xml"


def chart_sheets(book: Any, hidden: list[list[str]] | None) -> Iterator[SectionPayload]:
    """Yield a section for each sheet that is a chart, of a workbook that openpyxl has open read-only.

    Those that are hidden are left out and added to `hidden`, pairs of a sheet and a place in it; with None they are kept.
    """
    archive = book._archive
    if _BOOK not in archive.namelist():
        return
    targets = related_parts(archive, _BOOK)
    for sheet in xml_root(archive.read(_BOOK), _BOOK).iter("{*}sheet"):
        kind, name = targets.get(next((text for key, text in sheet.items() if key.endswith("}id")), ""), ("", ""))
        title = sheet.get("name") or ""
        if kind == "chartsheet" and hidden is not None and sheet.get("state", "visible") != "visible":
            hidden.append([title, "the whole sheet"])
        elif kind == "chartsheet":
            around = SheetSurroundings(archive, name)
            charts = tuple(filter(None, (one.paragraph({"sheet": title}) for one in around.drawn())))
            if charts:
                yield SectionPayload(title, charts, {"level": 1, "heading_path": [title], "sheet": title})
