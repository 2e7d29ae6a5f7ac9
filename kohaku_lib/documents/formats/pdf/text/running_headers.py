"""Remove page furniture: running heads and feet, page numbers, stamps in the margins and line numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Any

from kohaku_lib.documents.formats.pdf.tables.rows import bounding_box, visual_rows
from kohaku_lib.documents.formats.pdf.text.line_numbers import without_line_numbers
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText
from kohaku_lib.documents.formats.pdf.text.repeating_rows import PAGE_NUMBER, EdgeRow, Repetition, repeating_rows

_EDGE_SHARE = 0.14  # of the page's height
_EDGE_ROWS = 3
_CLEAR_PT = 50.0  # distance from the edge within which lines may share a row with those at the edge
_SIDE = 0.08  # of the page's width
_LEAST_GAP = 0.6  # between a row and the text, in heights of the row
_LEAST_OF_USUAL_GAP = 1.3  # in distances between the rows of the page
_LONE_NUMBER = re.compile(r"[-–—|·\s]*(?:[\dA-Z]-)?\d{1,3}[-–—|·\s]*\Z")
_ROMAN = re.compile(r"[-–—|·\s]*[ivxlc]{1,6}[-–—|·\s]*\Z")
_PAGE_OF = re.compile(
    r"(?:page|seite)\s*\d{1,4}(?:\s*(?:of|von|/)\s*\d{1,4})?\Z|\d{1,4}\s*(?:of|von|/)\s*\d{1,4}\Z", re.I
)
_STAMP = re.compile(r"download(?:ed from| date)|digiti[sz]ed by|authori[sz]ed licensed use", re.I)
_LEAST_CAPITALS = 0.6
_CENTRED = 0.05  # of the page's width
_SAME_EDGE_PT = 3.0
_TABLE_CELLS = 2
_NEXT_ROW = 2.0  # distance of the next row of a table, in heights of the row


def without_furniture(pages: Sequence[PageText]) -> list[PageText]:
    """Return the pages without running heads and feet, page numbers, line numbers and stamps, kept as `furniture`.

    A row at the upper or lower edge is a running head or foot if it stands in the same place of most pages of the
    document, or of at least three neighbouring ones, in the same words, with numbers that stay or count up with the
    pages, and farther from the text than its lines are from each other. What occurs once is removed only if it is
    apart from the text and a page number, beside a title in capitals too, or a download stamp; asides if they are at
    the sides. The rows of a table stay, and so does a page that would become empty.
    """
    pages = [without_line_numbers(page) for page in pages]
    rows = [_edge_rows(page) for page in pages]
    repeating = repeating_rows([row for of_page in rows for row in of_page], len(pages))
    return [
        _without_rows(page, _furniture_rows(page, of_page, repeating))
        for page, of_page in zip(pages, rows, strict=True)
    ]


def furniture_facts(pages: Sequence[PageText]) -> dict[str, Any]:
    """Return the lines that were taken out of the pages for a document's metadata, as [page, text] in `removed_lines`."""
    lines = [[page.number, line.text] for page in pages for line in page.furniture]
    return {"removed_lines": lines} if lines else {}


def _edge_rows(page: PageText) -> list[EdgeRow]:
    """Return the rows near the upper and lower edge, and a page number that ends a short page."""
    top, bottom = page.height * _EDGE_SHARE, page.height * (1 - _EDGE_SHARE)
    floor = min(bottom, max((line.box.y0 for line in page.lines), default=bottom)) - _CLEAR_PT
    first = visual_rows([line for line in page.lines if line.box.y0 < top + _CLEAR_PT])[:_EDGE_ROWS]
    last = visual_rows([line for line in page.lines if line.box.y1 > floor])[-_EDGE_ROWS:]
    upper = [row for row in first if max(cell.box.y1 for cell in row) < top]
    lower = [row for row in last if min(cell.box.y0 for cell in row) > bottom]
    lower = lower or [row for row in last[-1:] if PAGE_NUMBER.match(" ".join(cell.text for cell in row))]
    return [
        *(EdgeRow(page.number, "top", bounding_box(row).y0, tuple(row)) for row in upper),
        *(EdgeRow(page.number, "bottom", page.height - bounding_box(row).y1, tuple(row)) for row in lower),
    ]


def _furniture_rows(page: PageText, rows: Sequence[EdgeRow], repeating: Mapping[EdgeRow, Repetition]) -> list[EdgeRow]:
    candidates = [row for row in rows if row in repeating]
    rest = _outside(page.lines, candidates)
    for row in (*rows, *reversed(rows)):  # from both edges inwards
        if row not in candidates and _is_furniture_alone(row, _outside(rest, [row]), page):
            candidates.append(row)
            rest = _outside(rest, [row])
    found: list[EdgeRow] = []
    for row in candidates:
        how = repeating.get(row)
        is_firm = how is not None and how.firm and (how.counts or not _is_of_table(row, rest))
        if how is None or is_firm or _is_apart(row, rest):
            found.append(row)
    return found


def _outside(lines: Sequence[Line], rows: Sequence[EdgeRow]) -> list[Line]:
    return [line for line in lines if not any(_is_within(line, row.box) for row in rows)]


def _is_furniture_alone(row: EdgeRow, rest: Sequence[Line], page: PageText) -> bool:
    """Return whether a row is a page number, a title in capitals after one, or a stamp, though it does not repeat."""
    if not _is_outermost(row, rest):
        return False
    texts = [cell.text for cell in row.cells]
    numbers = [at for at, text in enumerate(texts) if any(map(str.isdigit, text))]
    is_outer = numbers in ([0], [len(texts) - 1]) and len(texts) in (1, 3)
    is_number = is_outer and _LONE_NUMBER.match(texts[numbers[0]]) is not None
    is_named = any(map(_PAGE_OF.match, texts)) or (len(texts) == 1 and _ROMAN.match(texts[0]) is not None)
    is_stamp = any(map(_STAMP.match, texts))
    return _is_numbered_title(row, page) or is_stamp or ((is_number or is_named) and _is_apart(row, rest))


def _is_numbered_title(row: EdgeRow, page: PageText) -> bool:
    """Return whether the row is a page number and, in the middle of the page, several words in capitals."""
    first, *others = row.cells
    if not others or not _LONE_NUMBER.match(first.text) or " " not in others[0].text:
        return False
    letters = [character for character in others[0].text if character.isalpha()]
    offset = (others[0].box.x0 + others[0].box.x1 - page.width) / 2
    in_capitals = sum(map(str.isupper, letters)) > _LEAST_CAPITALS * len(letters)
    return in_capitals and abs(offset) < _CENTRED * page.width


def _is_outermost(row: EdgeRow, rest: Sequence[Line]) -> bool:
    is_upper = row.edge == "top"
    return all(_share_height(row.box, other.box) or (other.box.y0 > row.box.y0) == is_upper for other in rest)


def _share_height(box: Box, other: Box) -> bool:
    return min(box.y1, other.y1) - max(box.y0, other.y0) > 0.3 * min(box.height, other.height)


def _is_apart(row: EdgeRow, rest: Sequence[Line]) -> bool:
    """Return whether the row is farther from the other lines of the page than these are from each other."""
    gap = min((_vertical_gap(row.box, line.box) for line in rest), default=0.0)
    return gap > max(_LEAST_GAP * row.box.height, _LEAST_OF_USUAL_GAP * _usual_gap(rest) + 1)


def _vertical_gap(box: Box, other: Box) -> float:
    return max(other.y0 - box.y1, box.y0 - other.y1)


def _usual_gap(lines: Sequence[Line]) -> float:
    """Return the median distance of the rows of `lines`."""
    boxes = [bounding_box(row) for row in visual_rows(lines)]
    return median([max(0.0, after.y0 - before.y1) for before, after in pairwise(boxes)] or [0.0])


def _is_of_table(row: EdgeRow, rest: Sequence[Line]) -> bool:
    """Return whether two cells of the row are aligned with lines right beside it, as those of a table are."""
    near = [line.box for line in rest if _vertical_gap(row.box, line.box) < _NEXT_ROW * row.box.height]
    aligned = [cell for cell in row.cells if any(_is_aligned(cell.box, box) for box in near)]
    return len(aligned) >= _TABLE_CELLS


def _is_aligned(box: Box, other: Box) -> bool:
    return min(abs(box.x0 - other.x0), abs(box.x1 - other.x1)) < _SAME_EDGE_PT


def _is_within(line: Line, box: Box) -> bool:
    return box.y0 - 0.5 <= line.box.y0 and line.box.y1 <= box.y1 + 0.5


def _without_rows(page: PageText, rows: Sequence[EdgeRow]) -> PageText:
    taken = [line for line in page.lines if any(_is_within(line, row.box) for row in rows)]
    if len(taken) == len(page.lines):
        return page
    inner = (_SIDE * page.width, (1 - _SIDE) * page.width)
    asides = tuple(line for line in page.asides if inner[0] < (line.box.x0 + line.box.x1) / 2 < inner[1])
    out = [*taken, *(line for line in page.asides if line not in asides)]
    lines = tuple(line for line in page.lines if line not in taken)
    return replace(page, lines=lines, asides=asides, furniture=(*page.furniture, *out))
