"""Determine the reading order of a page by recursive XY cuts into single-column regions."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from statistics import median
from typing import TypeVar

from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line

Item = TypeVar("Item", bound=Line)

_NUMBERED = re.compile(r"(\d{1,2})[.)]\s+\S")
_LEAST_GUTTER_PT = 5.0
_LEAST_GUTTER_EM = 0.55
_LEAST_CHARACTERS = 14  # mean length of a line of prose; table columns are narrower
_LEAST_OVERLAP = 0.3
_LEAST_LINES = 2
_FULL_CHARACTERS, _FULL_LINES = 30, 5  # of a text column beside which short lines may form another column
_TITLE_SIZE, _TITLE_GAP_LINES = 1.15, 1.5
_SAME_ROW_EM, _MOST_SHARED_ROWS = 0.2, 0.5


def reading_regions(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines grouped into single-column regions, in reading order.

    A region is split at a gutter, a vertical strip without text that has prose on both sides; failing that, into
    horizontal bands, so that a line across both columns separates the text above it from the text below. Table columns
    do not count as prose and are not split. If the numbers of side-by-side headings increase from left to right, the
    region is a grid and read row by row.
    """
    gutter = _widest_gutter(lines)
    if gutter is not None:
        left = [line for line in lines if line.box.x1 <= gutter]
        right = [line for line in lines if line.box.x1 > gutter]
        return _two_columns(left, right)
    bands = _horizontal_bands(lines)
    if len(bands) > 1:
        return [region for band in bands for region in reading_regions(band)]
    return [sorted(lines, key=lambda line: (line.box.y0, line.box.x0))] if lines else []


def _two_columns(left: Sequence[Line], right: Sequence[Line]) -> list[list[Line]]:
    """Return the regions left of a gutter, then those right of it; row by row in a grid."""
    below = _next_row_of_grid(left, right)
    if below is None:
        return reading_regions(left) + reading_regions(right)
    upper, lower = (
        [[line for line in side if (line.box.y1 > below) is low] for side in (left, right)] for low in (False, True)
    )
    return _two_columns(*upper) + _two_columns(*lower)


def _widest_gutter(lines: Sequence[Line]) -> float | None:
    """Return the x of the widest valid gutter, None if there is none."""
    least = _least_width(lines)
    gaps = _vertical_strips([line.box for line in lines], least)
    for start, end in sorted(gaps, key=lambda gap: gap[0] - gap[1]):
        middle = (start + end) / 2
        left = [line for line in lines if line.box.x1 <= middle]
        right = [line for line in lines if line.box.x1 > middle]
        if _are_columns(left, right) and _overlap_vertically(left, right):
            return middle
    return None


def _next_row_of_grid(left: Sequence[Line], right: Sequence[Line]) -> float | None:
    """Return the top of the second row of a grid with numbered headings 1 and 2, then 3 and 4; else None."""
    numbered = [
        [(int(match[1]), line) for line in side if (match := _NUMBERED.match(line.text))] for side in (left, right)
    ]
    firsts = [min(side, key=lambda item: item[1].box.y0) for side in numbered if side]
    if len(firsts) < 2 or firsts[1][0] != firsts[0][0] + 1 or not _starts_on_same_row(firsts[0][1], firsts[1][1]):
        return None
    tops = [line.box.y0 for number, line in numbered[0] if number == firsts[0][0] + 2]
    top = min(tops, default=None)
    others = [line for line in (*left, *right) if top is not None and line.box.y0 < top < line.box.y1 - 1]
    return None if top is None or others or top <= firsts[0][1].box.y1 else top


def _starts_on_same_row(a: Line, b: Line) -> bool:
    return abs(a.box.y0 - b.box.y0) < _SAME_ROW_EM * a.size and a.bold == b.bold


def _are_columns(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Return whether both sides are prose, or one is a full column not aligned with the short lines of the other.

    Rows of a table share baselines; those of a box beside the text do so only by chance.
    """
    if _is_prose(left) and _is_prose(right):
        return True
    short, full = (left, right) if _mean_characters(left) < _mean_characters(right) else (right, left)
    if len(short) < _LEAST_LINES or len(full) < _FULL_LINES or _mean_characters(full) < _FULL_CHARACTERS:
        return False
    middles = sorted((line.box.y0 + line.box.y1) / 2 for line in full)
    shared = sum(_is_on_row(line, middles) for line in short)
    return shared < _MOST_SHARED_ROWS * len(short)


def _is_on_row(line: Line, middles: Sequence[float]) -> bool:
    middle = (line.box.y0 + line.box.y1) / 2
    place = bisect(middles, middle)
    return any(abs(middle - other) < _SAME_ROW_EM * line.size for other in middles[max(place - 1, 0) : place + 1])


def _least_width(lines: Sequence[Line]) -> float:
    return max(_LEAST_GUTTER_PT, _LEAST_GUTTER_EM * median(line.size for line in lines)) if lines else 0.0


def _vertical_strips(boxes: Sequence[Box], least: float) -> list[tuple[float, float]]:
    """Return the vertical strips at least `least` wide that no box touches, between the outermost boxes."""
    gaps: list[tuple[float, float]] = []
    reach: float | None = None
    for box in sorted(boxes, key=lambda box: box.x0):
        if reach is not None and box.x0 - reach >= least:
            gaps.append((reach, box.x0))
        reach = box.x1 if reach is None else max(reach, box.x1)
    return gaps


def _is_prose(lines: Sequence[Line]) -> bool:
    return len(lines) >= _LEAST_LINES and _mean_characters(lines) >= _LEAST_CHARACTERS


def _mean_characters(lines: Sequence[Line]) -> float:
    return sum(len(line.text) for line in lines) / len(lines) if lines else 0.0


def _overlap_vertically(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Return whether the vertical overlap of the two sides is a sufficient share of the shorter one."""
    (top_a, end_a), (top_b, end_b) = _vertical_extent(left), _vertical_extent(right)
    shared = min(end_a, end_b) - max(top_a, top_b)
    return shared >= _LEAST_OVERLAP * min(end_a - top_a, end_b - top_b)


def _vertical_extent(lines: Sequence[Line]) -> tuple[float, float]:
    return min(line.box.y0 for line in lines), max(line.box.y1 for line in lines)


def _horizontal_bands(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines in bands from top to bottom; adjacent bands without a gutter are merged."""
    bands: list[list[Line]] = []
    for run in _gap_runs(lines):
        if bands and _widest_gutter(run) is None and _widest_gutter(bands[-1]) is None:
            bands[-1].extend(run)
        else:
            bands.append(run)
    return bands


def _gap_runs(lines: Sequence[Line]) -> list[list[Line]]:
    """Return runs of rows that share a gap or all have none."""
    least = _least_width(lines)
    runs: list[list[Line]] = []
    spans: list[list[Box]] = []
    for row in _overlapping_rows(lines):
        columns = [line.box for line in row]
        joined = _merge_boxes([*spans[-1], *columns]) if spans else []
        keeps_gap = bool(_vertical_strips(joined, least))
        gapless = not _vertical_strips(spans[-1], least) and not _vertical_strips(columns, least) if spans else False
        if spans and (keeps_gap or gapless) and not _starts_part(row, runs[-1]):
            runs[-1].extend(row)
            spans[-1] = joined
        else:
            runs.append(row)
            spans.append(_merge_boxes(columns))
    return runs


def _starts_part(row: Sequence[Line], run: Sequence[Line]) -> bool:
    """Return whether a row is a title well separated from all text above it, in any column."""
    if len(row) > 1 or row[0].size < _TITLE_SIZE * median(line.size for line in run):
        return False
    return row[0].box.y0 - max(line.box.y1 for line in run) > _TITLE_GAP_LINES * row[0].box.height


def _merge_boxes(boxes: Sequence[Box]) -> list[Box]:
    """Return the boxes with those that overlap in x merged."""
    merged: list[Box] = []
    for box in sorted(boxes, key=lambda box: box.x0):
        if merged and box.x0 <= merged[-1].x1:
            merged[-1] |= box
        else:
            merged.append(box)
    return merged


def _overlapping_rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Return groups of lines whose vertical extents touch, from top to bottom."""
    rows: list[list[Line]] = []
    reach = float("-inf")
    for line in sorted(lines, key=lambda line: line.box.y0):
        middle = line.box.y0 + 0.3 * line.box.height
        if middle < reach:
            rows[-1].append(line)
        else:
            rows.append([line])
        reach = max(reach, line.box.y1 - 0.2 * line.box.height)
    return rows
