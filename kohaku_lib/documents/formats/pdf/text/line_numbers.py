"""Remove the line numbers of manuscripts, transcripts and pleadings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from kohaku_lib.documents.formats.pdf.text.page_text import Line, PageText

_NUMBER = re.compile(r"\d{1,4}\Z")
_LEAST_NUMBERS = 8
_LEAST_IN_STEP = 0.8
_LEAST_EXTENT = 0.5  # of the height of the text
_SAME_EDGE_PT = 3.0
_MOST_BEYOND = 0.1
_MOST_CELLS = 1.5  # per number: a table row has several cells beside it, a text line one


def without_line_numbers(page: PageText) -> PageText:
    """Return the page without line numbers, which are among its `furniture`.

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
            return replace(page, lines=tuple(others), furniture=(*page.furniture, *column))
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
