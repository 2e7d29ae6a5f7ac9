"""Running headers, footers and page numbers, which are no part of the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from kohaku_lib.documents.pdf.page_text import Line, PageText
from kohaku_lib.documents.pdf.rows import joined_line, visual_rows

_EDGE_SHARE = 0.14  # of the page's height
_EDGE_ROWS = 3
_PAGE_NUMBER = re.compile(
    r"[-–—|·\s]*(?:page\s*)?(?:\d{1,4}|[ivxlc]{1,6}|[A-Z]-?\d{1,3})(?:\s*(?:of|/)\s*\d{1,4})?[-–—|·\s]*\Z", re.I
)
_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,6}\b")
_AMOUNT = re.compile(r"\d[.,]\d|[$€£%]|\d{5}")
_MOST_COUNTERS = 2
_LEAST_PAGES = 3
_LEAST_SHARE_OF_SHORT = 0.6


def without_furniture(pages: Sequence[PageText]) -> list[PageText]:
    """Return the pages without the rows at their upper and lower edge that repeat, and without page numbers.

    A row repeats where the same text, digits aside, in the same size stands at the same edge of three pages or
    of most pages of a shorter document (two at least).
    """
    edges = [_edge_rows(page) for page in pages]
    counts = Counter(key for rows in edges for key in {key for key, _ in rows})
    least = min(_LEAST_PAGES, max(2, round(_LEAST_SHARE_OF_SHORT * len(pages))))
    return [
        _without(page, [row for key, row in rows if counts[key] >= least or _is_page_number(row, page)])
        for page, rows in zip(pages, edges, strict=True)
    ]


def _edge_rows(page: PageText) -> list[tuple[tuple[str, str, int], list[Line]]]:
    """Return the rows near the upper and lower edge with the key by which they are compared."""
    rows = visual_rows(page.lines)
    top, bottom = page.height * _EDGE_SHARE, page.height * (1 - _EDGE_SHARE)
    upper = [row for row in rows[:_EDGE_ROWS] if row is rows[0] or max(cell.box.y1 for cell in row) < top]
    lower = [row for row in rows[-_EDGE_ROWS:] if row is rows[-1] or min(cell.box.y0 for cell in row) > bottom]
    return [*((_key(row, "top"), row) for row in upper), *((_key(row, "bottom"), row) for row in lower)]


def _key(row: Sequence[Line], edge: str) -> tuple[str, str, int]:
    line = joined_line(row)
    text = line.text.lower()
    counted = len(_DIGITS.findall(text)) <= _MOST_COUNTERS and not _AMOUNT.search(text)
    return edge, _DIGITS.sub("#", text) if counted else text, round(line.size)


def _is_page_number(row: Sequence[Line], page: PageText) -> bool:
    line = joined_line(row)
    outermost = all(
        abs(other.box.y0 - line.box.y0) < 2 or (other.box.y0 > line.box.y0) == (line.box.y0 < page.height / 2)
        for other in page.lines
    )
    return outermost and _PAGE_NUMBER.match(line.text) is not None


def _without(page: PageText, rows: Sequence[Sequence[Line]]) -> PageText:
    boxes = [joined_line(row).box for row in rows]
    kept = tuple(
        line
        for line in page.lines
        if not any(box.y0 - 0.5 <= line.box.y0 and line.box.y1 <= box.y1 + 0.5 for box in boxes)
    )
    return replace(page, lines=kept)
