"""Order the lines of right-to-left scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace

from kohaku_lib.documents.formats.pdf.text.page_text import Line
from kohaku_lib.documents.formats.pdf.text.right_to_left_spans import is_right_to_left, reading_order
from kohaku_lib.documents.formats.pdf.text.words_as_shown import LEAST_BLANK_EM

_WIDEST_GAP_EM = 1.0
_SAME_ROW = 0.4


def join_runs(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with the pieces of every right-to-left row joined, the rightmost piece first.

    Such a row is split into pieces where it contains other scripts.
    """
    if not any(is_right_to_left(line.text) for line in lines):
        return list(lines)
    joined: list[Line] = []
    for row in _group_rows(lines):
        if is_right_to_left("".join(line.text for line in row)):
            joined.extend(_join_row(row))
        else:
            joined.extend(row)
    return joined


def _group_rows(lines: Sequence[Line]) -> list[list[Line]]:
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box.y0 + line.box.y1):
        if rows and _share_row(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _share_row(a: Line, b: Line) -> bool:
    offset = abs(a.box.y0 + a.box.y1 - b.box.y0 - b.box.y1) / 2
    return offset < _SAME_ROW * min(a.box.height, b.box.height)


def _join_row(row: Sequence[Line]) -> list[Line]:
    cells: list[list[Line]] = []
    for line in sorted(row, key=lambda line: -line.box.x1):
        if cells and cells[-1][-1].box.x0 - line.box.x1 < _WIDEST_GAP_EM * line.size:
            cells[-1].append(line)
        else:
            cells.append([line])
    return [_join_cell(cell) for cell in cells]


def _join_cell(cell: Sequence[Line]) -> Line:
    first, *others = reading_order([{"text": line.text, "bbox": astuple(line.box), "line": line} for line in cell])
    joined = before = first["line"]
    for line in (other["line"] for other in others):
        gap = max(before.box.x0 - line.box.x1, line.box.x0 - before.box.x1)
        blank = " " if gap > LEAST_BLANK_EM * line.size else ""
        joined = replace(joined, text=f"{joined.text}{blank}{line.text}", box=joined.box | line.box)
        before = line
    return joined
