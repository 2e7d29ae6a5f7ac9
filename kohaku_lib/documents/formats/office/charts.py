"""Read the charts of Word, Excel and PowerPoint files as tables."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kohaku_lib.documents.formats.office.number_formats import displayed
from kohaku_lib.documents.formats.shared.table_text import table_paragraph
from kohaku_lib.tables import ParagraphPayload

_CATEGORIES = ("cat", "xVal")
_VALUES = ("val", "yVal", "bubbleSize")


def read_chart(root: Any) -> ChartTable:
    """Return the table behind a chart, by its part: a row per category, a column per series, with the stored values.

    Values are shown as their formats display them. The first column has the title of the axis of categories, the caption
    those of the chart and of the other axes; labels that were written by hand follow their values in brackets. Series with
    categories of their own have a column of these before them.

    >>> from lxml import etree
    >>> part = '<c xmlns="c"><plotArea><lineChart><ser><tx><v>MWh</v></tx>%s</ser></lineChart></plotArea></c>'
    >>> values = '<cat><pt idx="0"><v>May</v></pt></cat><val><formatCode>0.0</formatCode><pt idx="0"><v>7</v></pt></val>'
    >>> read_chart(etree.fromstring(part % values)).grid
    [['', 'MWh'], ['May', '7.0']]
    """
    axis, others = _axis_titles(root)
    columns: list[tuple[str, dict[int, str]]] = []
    before: dict[int, str] = {}
    for series in root.iterfind(".//{*}plotArea/*/{*}ser"):
        categories = _first_points(series, _CATEGORIES)
        if categories and categories != before:
            columns.append((axis, categories))
            before = categories
        columns += _value_columns(series)
    places = sorted({place for _, points in columns for place in points})
    rows = [[points.get(place, "") for _, points in columns] for place in places]
    title = _text(root.find("{*}chart/{*}title"))
    axes = ", ".join(others)
    caption = f"{title} ({axes})" if title and axes else title or axes
    return ChartTable([[head for head, _ in columns], *rows], caption)


@dataclass(frozen=True, slots=True)
class ChartTable:
    """The table of a chart, its first row the names of the columns, and its caption."""

    grid: list[list[str]]
    caption: str = ""

    def paragraph(self, metadata: dict[str, Any]) -> ParagraphPayload | None:
        """Return the table as a paragraph; its caption alone where it has no values, None without either."""
        table = table_paragraph(self.grid, caption=self.caption, metadata=metadata)
        return table or (ParagraphPayload(self.caption, None, dict(metadata)) if self.caption else None)


def _axis_titles(root: Any) -> tuple[str, list[str]]:
    """Return the title of the axis of categories, and those of the others; a chart of points has it at its first axis."""
    axes = [one for one in root.iterfind(".//{*}plotArea/*") if isinstance(one.tag, str) and one.tag.endswith("Ax")]
    of_categories = next((one for one in axes if one.tag.endswith(("}catAx", "}dateAx"))), axes[0] if axes else None)
    titles = [(one is of_categories, _text(one.find("{*}title"))) for one in axes]
    return next((text for is_first, text in titles if is_first), ""), [
        text for is_first, text in titles if text and not is_first
    ]


def _value_columns(series: Any) -> Iterator[tuple[str, dict[int, str]]]:
    name, labels = _text(series.find("{*}tx")), dict(_labels(series))
    for kind in _VALUES:
        points = _first_points(series, (kind,))
        if points and kind == "bubbleSize":
            yield f"{name} (size)".strip(), points
        elif points:
            labelled = {at: f"{text} ({labels[at]})" if at in labels else text for at, text in points.items()}
            yield name, labelled


def _labels(series: Any) -> Iterator[tuple[int, str]]:
    for label in series.iter("{*}dLbl"):
        place, stated = label.find("{*}idx"), label.find("{*}tx")
        text = (
            ""
            if stated is None
            else " ".join("".join(one.text or "" for one in stated.iterfind(".//{*}r/{*}t")).split())
        )
        if text and place is not None:
            yield _number(place.get("val")), text


def _first_points(series: Any, kinds: tuple[str, ...]) -> dict[int, str]:
    return next((_points(one) for kind in kinds if (one := series.find(f"{{*}}{kind}")) is not None), {})


def _points(data: Any) -> dict[int, str]:
    """Return the stored texts of categories or values by their places; those of several levels are joined."""
    levels = list(data.iter("{*}lvl"))
    if not levels:
        code = data.findtext(".//{*}formatCode") or "General"
        is_number = next(data.iter("{*}numRef", "{*}numLit", "{*}formatCode"), None) is not None
        return {
            _number(one.get("idx")): _shown(text, one.get("formatCode") or code) if is_number else text
            for one in data.iter("{*}pt")
            if (text := " ".join((one.findtext("{*}v") or "").split()))
        }
    inner, *outer = ({_number(one.get("idx")): one.findtext("{*}v") or "" for one in level} for level in levels)
    found: dict[int, str] = {}
    for place, text in sorted(inner.items()):
        above = (max((at for at in level if at <= place), default=-1) for level in outer)
        names = [level.get(at, "") for level, at in zip(outer, above, strict=True)]
        found[place] = " ".join([*reversed(names), text]).strip()
    return found


def _shown(text: str, code: str) -> str:
    from openpyxl.styles.numbers import is_date_format
    from openpyxl.utils.datetime import from_excel

    try:
        value: float | datetime.datetime | datetime.date | datetime.time | datetime.timedelta | None = float(text)
        value = from_excel(value) if is_date_format(code) else value
        return text if value is None else displayed(value, code)
    except (ArithmeticError, ValueError):  # no number, or one beyond what programs write
        return text


def _text(element: Any) -> str:
    """Return what a title or the name of a series says, as written in it or as stored from a cell; "" without one."""
    if element is None:
        return ""
    written = [" ".join("".join(part.text or "" for part in one.iter("{*}t")).split()) for one in element.iter("{*}p")]
    return " ".join(filter(None, written)) or " ".join((element.findtext(".//{*}v") or "").split())


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0
