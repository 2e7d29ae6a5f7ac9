"""Put the charts and diagrams of Word files behind the paragraphs that hold them."""

from __future__ import annotations

from typing import Any

from kohaku_lib.documents.formats.html.text import inline_text
from kohaku_lib.documents.formats.office.charts import ChartTable
from kohaku_lib.documents.formats.office.drawn_content import Drawn, drawn_content
from kohaku_lib.documents.formats.office.word.word_file import WORD, WordFile, text_run

DRAWN_STYLE = "kohaku-drawn"


def mark_drawings(file: WordFile) -> list[Drawn]:
    """Return the charts and diagrams of a file, and add a paragraph with the number of each behind the one that holds it."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    found: list[Drawn] = []
    last: dict[Any, Any] = {}
    for drawing in list(file.document.iter(f"{WORD}drawing")):
        holder = next(drawing.iterancestors(f"{WORD}p"), None)
        for one in drawn_content(drawing, file.related) if holder is not None else ():
            paragraph = etree.Element(f"{WORD}p")
            style = etree.SubElement(etree.SubElement(paragraph, f"{WORD}pPr"), f"{WORD}pStyle")
            style.set(f"{WORD}val", DRAWN_STYLE)
            paragraph.append(text_run(str(len(found))))
            last.get(holder, holder).addnext(paragraph)
            last[holder] = paragraph
            found.append(one)
    return found


def place_drawings(root: Any, drawn: list[Drawn]) -> None:
    """Put the charts, as tables, and the diagrams, as lists, in place of the paragraphs with their numbers."""
    for marked in [one for one in root.iter("div") if one.get("class") == DRAWN_STYLE]:
        one = drawn[int(inline_text(marked))]
        marked.text = None
        marked.append(_table_of(one) if isinstance(one, ChartTable) else _list_of(one.items))


def _table_of(chart: ChartTable) -> Any:
    from lxml.html import builder as made  # pyright: ignore[reportAttributeAccessIssue]

    rows = [made.TR(*((made.TD if at else made.TH)(text) for text in row)) for at, row in enumerate(chart.grid)]
    if not any(any(row) for row in chart.grid):
        return made.P(chart.caption)
    return made.TABLE(made.CAPTION(chart.caption), *rows)


def _list_of(items: list[tuple[int, str]]) -> Any:
    from lxml.html import builder as made  # pyright: ignore[reportAttributeAccessIssue]

    lists = [made.UL()]  # the open ones, by level
    for level, text in items:
        del lists[level + 1 :]
        while len(lists) <= level:
            lists.append(made.UL())
            lists[-2].append(lists[-1])
        lists[-1].append(made.LI(text))
    return lists[0]
