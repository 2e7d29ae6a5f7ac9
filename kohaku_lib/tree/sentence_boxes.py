"""Bounding boxes of the sentences of a paragraph, from the boxes of its lines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kohaku_lib.text.sentences import Span
from kohaku_lib.tree.page_boxes import bbox_of, page_of

LINE_BOXES = "line_boxes"


def sentence_places(spans: Sequence[Span], metadata: Mapping[str, Any], shift: int = 0) -> list[dict[str, Any]]:
    """Return the metadata of the sentences `spans` of a paragraph: `page` and `bbox`, nothing where lines are unknown.

    `metadata["line_boxes"]` is [offset, page, x0, y0, x1, y1] of each line, in order; `shift` is the number of
    characters since removed from the start. A sentence that continues in another column or page has the box of its first
    part as `bbox`, and all parts as `boxes`, [page, x0, y0, x1, y1] each.

    >>> lines = {"line_boxes": [[0, 1, 50, 100, 300, 110], [20, 1, 50, 112, 300, 122], [41, 2, 50, 40, 300, 50]]}
    >>> sentence_places([(0, 15), (16, 48)], lines)[0]
    {'page': 1, 'bbox': [50.0, 100.0, 300.0, 110.0]}
    >>> sentence_places([(0, 15), (16, 48)], lines)[1]["boxes"]
    [[1, 50.0, 100.0, 300.0, 122.0], [2, 50.0, 40.0, 300.0, 50.0]]
    """
    lines = _stated_lines(metadata)
    offsets = [line.offset - shift for line in lines]
    return [_place_of_span(lines, offsets, span) if lines else {} for span in spans]


@dataclass(frozen=True, slots=True)
class _PlacedLine:
    """A line; `part` numbers the run of lines between two breaks of column or page that it belongs to."""

    offset: int
    page: int
    box: list[float]
    part: int


def _stated_lines(metadata: Mapping[str, Any]) -> list[_PlacedLine]:
    """Return the lines; [] where one of them has another form, as foreign payloads may."""
    raw, parts = metadata.get(LINE_BOXES), metadata.get("boxes")
    parts = parts if isinstance(parts, list) else []
    lines: list[_PlacedLine] = []
    for item in raw if isinstance(raw, list) else []:
        usable = isinstance(item, list) and len(item) == 6 and type(item[0]) is int
        page = page_of({"page": item[1]}) if usable else None
        box = bbox_of({"bbox": item[2:]}) if usable else None
        if page is None or box is None:
            return []
        lines.append(_PlacedLine(item[0], page, box, _part_of(page, box, parts)))
    return lines


def _part_of(page: int, box: Sequence[float], parts: Sequence[Any]) -> int:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    for number, part in enumerate(parts):
        inside = isinstance(part, list) and len(part) == 5 and part[0] == page
        if inside and part[1] <= x <= part[3] and part[2] <= y <= part[4]:
            return number
    return -page


def _place_of_span(lines: Sequence[_PlacedLine], offsets: Sequence[int], span: Span) -> dict[str, Any]:
    first = max(bisect_right(offsets, span[0]) - 1, 0)
    last = max(bisect_left(offsets, span[1]) - 1, first)
    boxes: dict[tuple[int, int], list[float]] = {}
    for line in lines[first : last + 1]:
        key = line.page, line.part
        boxes[key] = _union_of_boxes(boxes[key], line.box) if key in boxes else line.box
    parts = [[page, *box] for (page, _), box in boxes.items()]
    place: dict[str, Any] = {"page": parts[0][0], "bbox": parts[0][1:]}
    return place if len(parts) == 1 else {**place, "boxes": parts}


def _union_of_boxes(a: Sequence[float], b: Sequence[float]) -> list[float]:
    return [min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])]
