"""Find the labels inside and next to a figure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from kohaku_lib.documents.formats.pdf.blocks import CAPTION
from kohaku_lib.documents.formats.pdf.figures.marks import prose_lines
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText

_REACH_PT = 11.0
_FARTHEST_PT = 40.0
_LONGEST_LABEL = 40
_ROUNDS = 3
_ROW_PT = 5.0
_LEAST_TABLE_ROWS = 4
_ODD_SIGNS = frozenset('<>?@#$=^~|\\"!{}')
_NUMBER = re.compile(r"[-–($€£]*\d[\d.,]*[)%]*\Z")


def with_labels(box: Box, text: PageText, tables: Sequence[Box]) -> Box:
    """Return `box` extended by adjacent short texts (ticks, axis titles, legends), not captions or prose."""
    candidates = _label_candidates(text, tables)
    whole = box
    for _ in range(_ROUNDS):
        near = [line for line in candidates if _is_beside(line, whole) and _is_close(line, box)]
        extended = whole
        for line in near:
            extended |= line.box
        if extended == whole:
            break
        whole = extended
    return whole


def reads_as_table(lines: Sequence[Line]) -> bool:
    """Return whether the lines form enough rows of a word and at least two numbers to be a table."""
    rows: dict[int, list[Line]] = {}
    for line in lines:
        rows.setdefault(round((line.box.y0 + line.box.y1) / 2 / _ROW_PT), []).append(line)
    numbers = [_numbers_of_row(row) for row in rows.values()]
    return sum(count >= 2 for count in numbers) >= _LEAST_TABLE_ROWS or sum(count >= 3 for count in numbers) >= 3


def inner_lines(box: Box, text: PageText) -> list[Line]:
    """Return the lines of a page in `box` without captions, those in other directions last."""
    captions = _caption_blocks(text.lines)
    upright = [line for line in text.lines if box.contains_centre(line.box) and line.block not in captions]
    rows = sorted(upright, key=lambda line: (round(line.box.y0 / 3), line.box.x0))
    return [*rows, *(line for line in text.asides if box.contains_centre(line.box))]


def readable_text(lines: Iterable[Line]) -> str:
    """Return the text of a figure, one line per piece, without unreadable pieces of unmapped fonts."""
    return "\n".join(line.text for line in lines if _is_readable(line.text))


def _is_readable(text: str) -> bool:
    odd = sum(character in _ODD_SIGNS for character in text)
    return any(map(str.isalnum, text)) and odd < min(3, 0.2 * len(text))


def _numbers_of_row(row: Sequence[Line]) -> int:
    """Return the number of numbers in a table row, 0 if it contains no word."""
    numbers = sum(_NUMBER.match(piece) is not None for line in row for piece in line.text.split())
    return numbers if any(sum(map(str.isalpha, line.text)) >= 3 for line in row) else 0


def _label_candidates(text: PageText, tables: Sequence[Box]) -> list[Line]:
    prose = {line.block for line in prose_lines(text)}
    captions = _caption_blocks(text.lines)
    size = _body_size(text.lines)
    upright = [
        line
        for line in text.lines
        if line.block not in prose
        and line.block not in captions
        and len(line.text) <= _LONGEST_LABEL
        and line.size <= 1.02 * size
        and not (line.bold and line.size > 0.95 * size)
        and not any(table.contains_centre(line.box) for table in tables)
    ]
    return [*upright, *text.asides]


def _caption_blocks(lines: Iterable[Line]) -> set[int]:
    return {line.block for line in lines if line.block >= 0 and CAPTION.match(line.text)}


def _body_size(lines: Iterable[Line]) -> float:
    sizes = Counter[float]()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda key: (sizes[key], key)) if sizes else 0.0


def _is_beside(line: Line, box: Box) -> bool:
    across = line.box.x0 - _REACH_PT <= box.x1 and box.x0 - _REACH_PT <= line.box.x1
    middle_x, middle_y = (line.box.x0 + line.box.x1) / 2, (line.box.y0 + line.box.y1) / 2
    down = line.box.y0 - _REACH_PT <= box.y1 and box.y0 - _REACH_PT <= line.box.y1
    faces = box.x0 - _REACH_PT <= middle_x <= box.x1 + _REACH_PT or box.y0 <= middle_y <= box.y1
    return across and down and faces


def _is_close(line: Line, drawn: Box) -> bool:
    sides = (drawn.x0 - line.box.x0, line.box.x1 - drawn.x1, drawn.y0 - line.box.y0, line.box.y1 - drawn.y1)
    return max(sides) <= max(_FARTHEST_PT, 0.5 * min(drawn.width, drawn.height))
