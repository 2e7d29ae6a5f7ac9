"""Find the charts and diagrams that a drawing of Word, Excel or PowerPoint shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from kohaku_lib.documents.formats.office.charts import ChartTable, read_chart
from kohaku_lib.documents.formats.office.diagrams import Diagram, read_diagram
from kohaku_lib.errors import DocumentError

Drawn: TypeAlias = ChartTable | Diagram


def drawn_content(drawing: Any, part_of: Callable[[str], Any]) -> Iterator[Drawn]:
    """Yield the charts and diagrams within an element; `part_of` returns the root of the part with a relationship's id.

    One whose part is damaged or missing is passed over (`part_of` raises DocumentError or returns None).

    >>> from lxml import etree
    >>> kind = 'xmlns="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    >>> shown = etree.fromstring(f'<a><chart {kind} xmlns:r="r" r:id="rId4"/></a>')
    >>> list(drawn_content(shown, {"rId4": etree.fromstring("<a/>")}.get))
    [ChartTable(grid=[[]], caption='')]
    """
    for one in drawing.iter("{*}chart", "{*}relIds"):
        is_chart = one.tag.endswith("/chart}chart")
        id_ = _attribute(one, "id" if is_chart else "dm")
        try:
            part = part_of(id_) if id_ else None
        except DocumentError:
            continue
        if part is not None:
            yield read_chart(part) if is_chart else read_diagram(part)


def _attribute(element: Any, name: str) -> str:
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), "")
