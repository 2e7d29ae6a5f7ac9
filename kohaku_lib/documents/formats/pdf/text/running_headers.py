"""Remove page furniture: running headers and footers, page numbers and line numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from kohaku_lib.documents.formats.pdf.tables.rows import joined_line, visual_rows
from kohaku_lib.documents.formats.pdf.text.page_text import Line, PageText

_EDGE_SHARE = 0.14  # of the page's height
_EDGE_ROWS = 3
_CLEAR_PT = 50.0  # distance from the edge within which lines may share a row with those at the edge
_PAGE_NUMBER = re.compile(
    r"[-–—|·\s]*(?:page\s*)?(?:\d{1,4}|[ivxlc]{1,6}|[A-Z]-?\d{1,3})(?:\s*(?:of|/)\s*\d{1,4})?[-–—|·\s]*\Z", re.I
)
_OUTER_NUMBER = re.compile(r"\A\d{1,6}(?=\s)|(?<=\s)\d{1,6}\Z")
_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,6}\b")
_AMOUNT = re.compile(r"\d[.,]\d|[$€£%]")
_MOST_COUNTERS = 2
_NUMBERED_TITLE = re.compile(r"\d{2,4}\s+\D{3,60}\Z|\D{3,60}\s\d{1,4}\Z")
_LEAST_CAPITALS = 0.6
_MARGIN, _SIDE = 0.055, 0.08  # of the page's height and width
_LEAST_GAP_LINES = 1.2
_LONGEST_FOOT, _FOOT_SHARE = 40, 0.1
_LEAST_PAGES = 3
_LEAST_SHARE_OF_SHORT = 0.6
_LEAST_SHARE = 0.08  # table headers repeat on a few pages of a long document
_NUMBER = re.compile(r"\d{1,4}\Z")
_LEAST_NUMBERS = 8
_LEAST_IN_STEP = 0.8
_LEAST_EXTENT = 0.5  # of the height of the text
_SAME_EDGE_PT = 3.0
_MOST_BEYOND = 0.1
_MOST_CELLS = 1.5  # per number: a table row has several cells beside it, a text line one


def without_furniture(pages: Sequence[PageText]) -> list[PageText]:
    """Return the pages without running headers and footers, page numbers, line numbers and stamps in the margin.

    A row at the upper or lower edge is removed if the same text, digits aside, occurs in the same size at the same edge
    of three pages and a twelfth of all, or of most pages (at least two) of a shorter document. A row that does not repeat
    is removed if it is a page number, also with a title in capitals, if it is separate in the outermost twentieth of
    the page, or if it is a short last row with a number far below the rest. Vertical lines at the sides are removed too.
    A page that would become empty is unchanged.
    """
    pages = [without_line_numbers(page) for page in pages]
    edges = [_edge_rows(page) for page in pages]
    counts = Counter(key for rows in edges for key in {key for key, _ in rows})
    least = max(min(_LEAST_PAGES, max(2, round(_LEAST_SHARE_OF_SHORT * len(pages)))), round(_LEAST_SHARE * len(pages)))
    return [
        _without_rows(page, [row for key, row in rows if counts[key] >= least or _is_marginal(row, page)])
        for page, rows in zip(pages, edges, strict=True)
    ]


def _edge_rows(page: PageText) -> list[tuple[tuple[str, str, int], list[Line]]]:
    """Return the rows near the upper and lower edge with their comparison keys."""
    top, bottom = page.height * _EDGE_SHARE, page.height * (1 - _EDGE_SHARE)
    floor = min(bottom, max((line.box.y0 for line in page.lines), default=bottom)) - _CLEAR_PT
    first = visual_rows([line for line in page.lines if line.box.y0 < top + _CLEAR_PT])[:_EDGE_ROWS]
    rows = visual_rows([line for line in page.lines if line.box.y1 > floor])[-_EDGE_ROWS:]
    upper = [row for row in first if max(cell.box.y1 for cell in row) < top]
    lower = [row for row in rows if min(cell.box.y0 for cell in row) > bottom]
    last = [row for row in rows[-1:] if not lower and _PAGE_NUMBER.match(joined_line(row).text)]
    return [
        *((_comparison_key(row, "top"), row) for row in upper),
        *((_comparison_key(row, "bottom"), row) for row in lower + last),
    ]


def _comparison_key(row: Sequence[Line], edge: str) -> tuple[str, str, int]:
    line = joined_line(row)
    text = _OUTER_NUMBER.sub("#", line.text.lower())
    counted = len(_DIGITS.findall(text)) <= _MOST_COUNTERS and not _AMOUNT.search(text)
    return edge, _DIGITS.sub("#", text) if counted else text, round(line.size)


def _is_marginal(row: Sequence[Line], page: PageText) -> bool:
    """Return whether a row is a page number, a numbered running title or a stamp even if it does not repeat."""
    line = joined_line(row)
    if _is_outermost(line, page) and _is_number(line.text, len(row)):
        return True
    if _is_numbered_foot(line, page):
        return True
    inner = [other for other in page.lines if not _is_in_margin(other, page)]
    return _is_in_margin(line, page) and bool(inner) and _is_separate(line, inner)


def _is_numbered_foot(line: Line, page: PageText) -> bool:
    above = [other for other in page.lines if other.box.y1 <= line.box.y0 + 1]
    short = len(line.text) <= _LONGEST_FOOT and _OUTER_NUMBER.search(line.text) is not None
    low = line.box.y0 > (1 - _FOOT_SHARE) * page.height and _is_outermost(line, page)
    return (
        short and low and bool(above) and _vertical_gap(line, max(above, key=lambda x: x.box.y1)) > 3 * line.box.height
    )


def _is_in_margin(line: Line, page: PageText) -> bool:
    return line.box.y0 <= _MARGIN * page.height or line.box.y1 >= (1 - _MARGIN) * page.height


def _is_separate(line: Line, others: Sequence[Line]) -> bool:
    return min(_vertical_gap(line, other) for other in others) > _LEAST_GAP_LINES * line.box.height


def _is_number(text: str, cells: int) -> bool:
    letters = [character for character in text if character.isalpha()]
    capitals = sum(character.isupper() for character in letters) > _LEAST_CAPITALS * len(letters)
    numbered = cells > 1 and _NUMBERED_TITLE.match(text) is not None
    return _PAGE_NUMBER.match(text) is not None or (numbered and capitals)


def _is_outermost(line: Line, page: PageText) -> bool:
    is_upper = line.box.y0 < page.height / 2
    return all(_share_height(line, other) or (other.box.y0 > line.box.y0) == is_upper for other in page.lines)


def _share_height(line: Line, other: Line) -> bool:
    return min(line.box.y1, other.box.y1) - max(line.box.y0, other.box.y0) > 0.3 * min(
        line.box.height, other.box.height
    )


def _vertical_gap(line: Line, other: Line) -> float:
    return max(other.box.y0 - line.box.y1, line.box.y0 - other.box.y1)


def _without_rows(page: PageText, rows: Sequence[Sequence[Line]]) -> PageText:
    boxes = [joined_line(row).box for row in rows]
    remaining = tuple(
        line
        for line in page.lines
        if not any(box.y0 - 0.5 <= line.box.y0 and line.box.y1 <= box.y1 + 0.5 for box in boxes)
    )
    if not remaining:
        return page
    inner = (_SIDE * page.width, (1 - _SIDE) * page.width)
    asides = tuple(line for line in page.asides if inner[0] < (line.box.x0 + line.box.x1) / 2 < inner[1])
    return replace(page, lines=remaining, asides=asides)


def without_line_numbers(page: PageText) -> PageText:
    """Return the page without line numbers.

    Line numbers are vertically aligned at one edge of the text, increase by a constant step over at least half of its
    height, and are each beside one line of text.
    """
    numbers = [line for line in page.lines if _NUMBER.match(line.text)]
    if len(numbers) < _LEAST_NUMBERS:
        return page
    for column in _number_columns(numbers):
        own = set(map(id, column))
        others = [line for line in page.lines if id(line) not in own]
        if _is_sequence(column) and _is_outside_text(column, others) and _runs_beside_text(column, others):
            return replace(page, lines=tuple(others))
    return page


def _number_columns(numbers: Sequence[Line]) -> list[list[Line]]:
    """Return the numbers grouped by a common right or left edge, from top to bottom."""
    columns: list[list[Line]] = []
    for edge in ("x1", "x0"):
        placed: list[list[Line]] = []
        for line in sorted(numbers, key=lambda line: getattr(line.box, edge)):
            near = placed and getattr(line.box, edge) - getattr(placed[-1][0].box, edge) <= _SAME_EDGE_PT
            if near:
                placed[-1].append(line)
            else:
                placed.append([line])
        columns.extend(sorted(column, key=lambda line: line.box.y0) for column in placed)
    return [column for column in columns if len(column) >= _LEAST_NUMBERS]


def _is_sequence(column: Sequence[Line]) -> bool:
    steps = [int(after.text) - int(before.text) for before, after in pairwise(column)]
    usual = max(set(steps), key=steps.count)
    return usual in {1, 5} and steps.count(usual) >= _LEAST_IN_STEP * len(steps)


def _is_outside_text(column: Sequence[Line], others: Sequence[Line]) -> bool:
    if not others:
        return False
    left, right = min(line.box.x0 for line in column), max(line.box.x1 for line in column)
    before = sum(line.box.x0 < right for line in others)
    after = sum(line.box.x1 > left for line in others)
    return min(before, after) <= _MOST_BEYOND * len(others)


def _runs_beside_text(column: Sequence[Line], others: Sequence[Line]) -> bool:
    top, end = column[0].box.y0, column[-1].box.y1
    beside = [line for line in others if line.box.y1 > top and line.box.y0 < end]
    height = max(line.box.y1 for line in others) - min(line.box.y0 for line in others)
    per_step = 1 if int(column[1].text) - int(column[0].text) == 1 else 5
    return end - top >= _LEAST_EXTENT * height and len(beside) <= _MOST_CELLS * per_step * len(column)
