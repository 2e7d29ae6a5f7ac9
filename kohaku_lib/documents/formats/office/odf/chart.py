"""Find the table behind a chart, or of a spreadsheet, within an OpenDocument file."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Any

from kohaku_lib.documents.formats.office.odf.odf_file import DRAW, OFFICE, TABLE, TEXT, OdfFile

_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_LINK = "{http://www.w3.org/1999/xlink}href"


def chart_of(frame: Any, file: OdfFile) -> OdfChart | None:
    """Return the chart or the first sheet that a frame shows, None where it shows none or a chart without its values."""
    for shown in frame.iterchildren(f"{DRAW}object"):
        link = posixpath.normpath(shown.get(_LINK) or "")
        part = file.part(f"{link}/content.xml")
        sheet = None if part is None else part.find(f"{OFFICE}body/{OFFICE}spreadsheet/{TABLE}table")
        if sheet is not None:
            return OdfChart(sheet, "")
        chart: Any = None if part is None else next(part.iter(f"{_CHART}chart"), None)
        table = None if chart is None else chart.find(f"{TABLE}table")
        if table is not None:
            titles = [one for name in ("title", "subtitle") for one in chart.iterchildren(f"{_CHART}{name}")]
            axes = [one for axis in chart.iter(f"{_CHART}axis") for one in axis.iterchildren(f"{_CHART}title")]
            return OdfChart(table, ", ".join(filter(None, map(_text_of, [*titles, *axes]))))
    return None


@dataclass(frozen=True, slots=True)
class OdfChart:
    """The table of a chart or sheet, and what the titles of the chart and those of its axes say."""

    table: Any
    title: str


def _text_of(title: Any) -> str:
    return " ".join(" ".join("".join(one.itertext()) for one in title.iter(f"{TEXT}p")).split())
