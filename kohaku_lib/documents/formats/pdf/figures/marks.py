"""Extract the marks of a page other than text: shapes, panels, rules and images, as vertical boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from kohaku_lib.documents.formats.pdf.figures.figure_captions import is_figure_caption
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText, upright_box

_THICKEST_RULE_PT = 2.5
_SLANT_PT = 2.0
_WHOLE_PAGE_SHARE = 0.85
_LONG_LINE = 45
_FAIRLY_LONG_LINE = 28
_LEAST_PROSE_LINES = 3
_LEAST_PROSE_HEIGHT_PT = 20.0
_LEAST_PROSE_SHARE = 0.2
_MOST_DRAWINGS = 50_000
_LEAST_OPACITY = 0.1
_LEAST_FRAME_PT2 = 8000.0
_MOST_FRAMES = 20
LEAST_SHAPES = 3  # for a figure without image, bars or caption
SAME_EDGE_PT = 1.5
_LEAST_BARS = 4
_LEAST_LENGTHS = 3

Rectangle = tuple[float, float, float, float]
MarkKind = Literal["shape", "panel", "rule", "image"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A drawing or image: a shape has curves or slanted lines, a panel is a vertical rectangle, a rule is thin."""

    kind: MarkKind
    box: Box


def page_marks(
    drawings: Sequence[Mapping[str, Any]], images: Sequence[Box], text: PageText, size: tuple[float, float]
) -> list[Mark]:
    """Return the marks of a page, clipped to it; `drawings` are those of `page.get_cdrawings`.

    White and faint areas, page-sized marks and marks behind prose are backgrounds and omitted, as are rules and shaded cells on a
    page without other drawings or captions. `size` is the width and height of the page before rotation; `images` are
    already vertical.
    """
    if len(drawings) > _MOST_DRAWINGS:
        return []
    raw = [mark for drawing in drawings for mark in _drawing_marks(drawing)]
    if not images and not _may_be_figure(raw, text):
        return []
    marks = [Mark(kind, upright_box(box, text.turn, size) if text.turn else Box(*box)) for kind, box in raw]
    marks.extend(Mark("image", box) for box in images)
    prose = prose_lines(text)
    clipped = (Mark(mark.kind, box) for mark in marks if (box := _clip_to_page(mark.box, text)) is not None)
    return _clip_to_frames([mark for mark in clipped if not _is_background(mark, prose, text)])


def prose_lines(text: PageText) -> list[Line]:
    """Return the lines of running text: long ones, and those of blocks of mostly long lines."""
    lengths: dict[int, list[int]] = {}
    for line in text.lines:
        lengths.setdefault(line.block, []).append(len(line.text))
    running = {
        block
        for block, line_lengths in lengths.items()
        if block >= 0 and len(line_lengths) >= _LEAST_PROSE_LINES and median(line_lengths) >= _FAIRLY_LONG_LINE
    }
    return [line for line in text.lines if len(line.text) >= _LONG_LINE or line.block in running]


def are_bars(lengths: Sequence[float]) -> bool:
    """Return whether rectangles with a common baseline and these lengths are the bars of a chart."""
    return len(lengths) >= _LEAST_BARS and len({round(length / 2) for length in lengths}) >= _LEAST_LENGTHS


def _drawing_marks(drawing: Mapping[str, Any]) -> Iterator[tuple[MarkKind, Rectangle]]:
    if _is_invisible(drawing):
        return
    items = drawing["items"]
    if any(map(_is_slanted, items)):
        yield "shape", drawing["rect"]
        return
    filled = "f" in drawing["type"]
    for item in _with_bounding_rectangles(items) if filled else items:
        if item[0] == "l":
            (x0, y0), (x1, y1) = item[1], item[2]
            yield "rule", (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
        elif item[0] == "re":
            x0, y0, x1, y1 = item[1]
            thin = min(abs(x1 - x0), abs(y1 - y0)) <= _THICKEST_RULE_PT
            yield "rule" if thin else "panel", (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def _may_be_figure(marks: Sequence[tuple[MarkKind, Rectangle]], text: PageText) -> bool:
    """Return whether marks may be part of a figure, unlike rules and shaded cells without a caption."""
    kinds = Counter(kind for kind, _ in marks)
    if kinds["shape"] >= LEAST_SHAPES:
        return True
    if kinds["shape"] + kinds["panel"] == 0:
        return False
    vertical: dict[int, list[float]] = {}
    horizontal: dict[int, list[float]] = {}
    for x0, y0, x1, y1 in {box for kind, box in marks if kind == "panel"}:
        for edge, length, by_edge in ((y1, y1 - y0, vertical), (x0, x1 - x0, horizontal)):
            by_edge.setdefault(round(edge / SAME_EDGE_PT), []).append(length)
    bars = any(map(are_bars, (*vertical.values(), *horizontal.values())))
    return bars or any(is_figure_caption(line.text) for line in text.lines)


def _with_bounding_rectangles(items: Sequence[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yield the items with each run of connected lines, which is a filled polygon, as its bounding rectangle."""
    run: list[tuple[float, float]] = []
    for item in items:
        if item[0] != "l":
            yield item
        elif run and run[-1] == item[1]:
            run.append(item[2])
        else:
            yield from _bounding_rectangle(run)
            run = [item[1], item[2]]
    yield from _bounding_rectangle(run)


def _bounding_rectangle(points: Sequence[tuple[float, float]]) -> Iterator[Sequence[Any]]:
    if points:
        xs, ys = [x for x, _ in points], [y for _, y in points]
        yield "re", (min(xs), min(ys), max(xs), max(ys))


def _is_invisible(drawing: Mapping[str, Any]) -> bool:
    """Return whether a drawing is hardly seen: filled white, or as faintly as a watermark, without an outline."""
    if drawing["type"] != "f":
        return False
    fill, opacity = drawing.get("fill"), drawing.get("fill_opacity")
    is_white = fill is not None and min(fill, default=0.0) > 0.99
    return is_white or (opacity is not None and opacity < _LEAST_OPACITY)


def _is_slanted(item: Sequence[Any]) -> bool:
    if item[0] == "l":
        (x0, y0), (x1, y1) = item[1], item[2]
        return abs(x1 - x0) > _SLANT_PT and abs(y1 - y0) > _SLANT_PT
    if item[0] == "qu":
        (x0, y0), (x1, y1), (x2, y2) = item[1][0], item[1][1], item[1][2]
        return min(abs(x1 - x0), abs(y1 - y0)) > _SLANT_PT or min(abs(x2 - x0), abs(y2 - y0)) > _SLANT_PT
    return item[0] == "c"


def _clip_to_page(box: Box, text: PageText) -> Box | None:
    if box.x0 >= 0.0 and box.y0 >= 0.0 and box.x1 <= text.width and box.y1 <= text.height:
        return box
    x0, x1 = max(box.x0, 0.0), min(box.x1, text.width)
    y0, y1 = max(box.y0, 0.0), min(box.y1, text.height)
    return Box(x0, y0, x1, y1) if x0 <= x1 and y0 <= y1 else None


def _is_background(mark: Mark, prose: Sequence[Line], text: PageText) -> bool:
    if mark.box.area > _WHOLE_PAGE_SHARE * text.width * text.height:
        return True
    if mark.kind == "rule" or mark.box.height < _LEAST_PROSE_HEIGHT_PT:
        return False
    behind = [line.box.area for line in prose if mark.box.contains_centre(line.box)]
    share = 0.0 if mark.kind == "image" else _LEAST_PROSE_SHARE
    return len(behind) >= _LEAST_PROSE_LINES and sum(behind) > share * mark.box.area


def _clip_to_frames(marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks clipped to the frame around their centre; soft edges and clipped paths extend beyond it."""
    large = {mark.box for mark in marks if mark.kind in {"shape", "panel"} and mark.box.area > _LEAST_FRAME_PT2}
    frames = sorted(large, key=lambda box: box.area)[-_MOST_FRAMES:]
    return [mark if mark.kind == "rule" else Mark(mark.kind, _clip_to_frame(mark.box, frames)) for mark in marks]


def _clip_to_frame(box: Box, frames: Sequence[Box]) -> Box:
    """Return `box` clipped to the smallest larger frame that contains its centre; `frames` are sorted by area."""
    for frame in frames:
        if frame.contains_centre(box) and frame.area > box.area:
            return Box(max(box.x0, frame.x0), max(box.y0, frame.y0), min(box.x1, frame.x1), min(box.y1, frame.y1))
    return box
