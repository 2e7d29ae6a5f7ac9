"""Convert HTML tables to table paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kohaku_lib.documents.formats.html.text import inline_text, is_element, is_hidden, tag_of
from kohaku_lib.documents.formats.shared.table_text import GridCell, expand_spans, table_paragraph
from kohaku_lib.tables import ParagraphPayload

_LAYOUT_CONTENT = ("h1", "h2", "h3", "h4", "h5", "h6", "nav", "article", "form")


def is_layout(table: Any) -> bool:
    """Return whether a table is for layout: its role, its headings, inner tables that say most, or one column of blocks."""
    if table.get("role") in {"presentation", "none"} or next(table.iterdescendants(*_LAYOUT_CONTENT), None) is not None:
        return True
    if next(table.iterdescendants("table"), None) is not None:
        return not _has_small_tables(table)
    rows = list(_visible_rows(table))
    if any(len(_visible_cells(row)) > 1 for row in rows):
        return False
    return len(rows) < 2 or next(table.iterdescendants("p", "div", "ul", "ol", "blockquote"), None) is not None


def table_of(table: Any, caption: str = "") -> ParagraphPayload | None:
    """Return the paragraph of a table with spanned cells repeated; its own caption takes precedence over `caption`.

    A table within a cell is text: its rows between semicolons, their cells between commas.
    """
    rows = list(_visible_rows(table))
    own = " ".join(" ".join(inline_text(child) for child in table.iter("caption") if _is_of(child, table)).split())
    grid = expand_spans([[_spanned_cell(cell) for cell in _visible_cells(row)] for row in rows])
    return table_paragraph(grid, _header_rows(rows), own or caption)


def _visible_rows(table: Any) -> Iterator[Any]:
    return (row for row in table.iter("tr") if not is_hidden(row) and _is_of(row, table))


def _is_of(part: Any, table: Any) -> bool:
    return next(part.iterancestors("table"), None) is table


def _has_small_tables(table: Any) -> bool:
    """Return whether a table with others within it is one of data: two of its rows have two cells, which say most."""
    inner = list(table.iterdescendants("table"))
    if any(next(one.iterdescendants("table"), None) is not None for one in inner):
        return False
    texts = [[text for cell in _visible_cells(row) if (text := _own_text(cell))] for row in _visible_rows(table)]
    full = sum(len(row) > 1 for row in texts)
    return full > 1 and sum(len(text) for row in texts for text in row) > sum(len(_rows_text(one)) for one in inner)


def _own_text(cell: Any) -> str:
    return " ".join(inline_text(cell, without=("table",)).split())


def _rows_text(table: Any) -> str:
    caption = " ".join(" ".join(map(inline_text, table.iterchildren("caption"))).split())
    rows = ([" ".join(inline_text(cell).split()) for cell in _visible_cells(row)] for row in _visible_rows(table))
    return "; ".join(filter(None, (caption, *(", ".join(filter(None, row)) for row in rows))))


def _visible_cells(row: Any) -> list[Any]:
    return [cell for cell in row if is_element(cell) and tag_of(cell) in {"td", "th"} and not is_hidden(cell)]


def _spanned_cell(cell: Any) -> GridCell:
    inner = "; ".join(filter(None, map(_rows_text, cell.iterdescendants("table"))))
    text = f"{_own_text(cell)} {inner}".strip()
    return GridCell(text, _stated_span(cell, "rowspan"), _stated_span(cell, "colspan"))


def _stated_span(cell: Any, name: str) -> int:
    match = re.match(r"\s*(\d{1,6})", cell.get(name) or "")
    return int(match[1]) if match else 1


def _header_rows(rows: list[Any]) -> int:
    """Return the number of leading header rows: those in `thead` or with only header cells."""
    count = 0
    for row in rows:
        cells = _visible_cells(row)
        in_head = tag_of(row.getparent()) == "thead"
        if not in_head and not (len(cells) > 1 and all(tag_of(cell) == "th" for cell in cells)):
            break
        count += 1
    return min(count, len(rows) - 1)
