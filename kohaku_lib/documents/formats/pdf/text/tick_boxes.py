"""Find the boxes of a page that are ticked or not, drawn ones and those of forms, and write them into its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText, Tick, normalised_text, text_source
from kohaku_lib.documents.formats.pdf.text.right_to_left_spans import is_right_to_left
from kohaku_lib.documents.formats.pdf.text.words_as_shown import Word, words_as_shown

if TYPE_CHECKING:
    import pymupdf

_EMPTY, _TICKED = "☐", "☒"
_SMALLEST_PT, _LARGEST_PT = 5.0, 18.0
_MOST_OBLONG = 1.25
_TOUCH_PT = 1.5  # squares that are nearer are the cells of a grid
_FARTHEST_EM = 2.0  # from the text that a box stands for
_DARK, _LIGHT = 0.35, 0.8  # mean of the colours
_OFF = ("/Off", "/False")  # the latter as MuPDF writes it
_BUTTONS = (2, 5)  # check boxes and radio buttons among the types of fields


def with_tick_boxes(page: pymupdf.Page, text: PageText, drawings: Sequence[dict[str, Any]]) -> PageText:
    """Return the text of a page with a sign before what each box stands for: ☒ if it is ticked, ☐ if it is not.

    A box is a field of a form, or a small square in a row with text: ticked if something is drawn in it, or if it is dark
    where another is empty. `ticks` are all of them. Rotated pages have none.
    """
    if text.turn:
        return text
    fields = list(_fields(page))
    lines = [line for line in text.lines if not any(tick.box.contains_centre(line.box) for tick in fields)]
    squares = [(Box(*drawing["rect"]), drawing) for drawing in drawings if _is_square(drawing)]
    squares = [one for one in squares if not any(field.box.contains_centre(one[0]) for field in fields)]
    if not (fields or squares):
        return text
    from_right = is_right_to_left(" ".join(line.text for line in lines))
    words = words_as_shown(text_source(page), from_right=from_right)
    found = (*fields, *_drawn(squares, drawings, words))
    ticks = [tick for tick in found if any(_share_row(tick, line) for line in lines)]
    within: list[Tick] = []
    for at, line in enumerate(lines):
        own = [tick for tick in ticks if _share_row(tick, line) and line.box.x0 < tick.middle < line.box.x1]
        lines[at] = _with_signs(line, own, words) if own else line
        within += own
    for tick in ticks:
        if tick not in within:
            _add_beside(tick, lines)
    return replace(text, lines=tuple(lines), ticks=tuple(ticks))


def _fields(page: Any) -> Iterator[Tick]:
    for field in page.widgets():
        if field.field_type in _BUTTONS:
            kind, state = page.parent.xref_get_key(field.xref, "AS")
            yield Tick(Box(*field.rect), _TICKED if kind == "name" and state not in _OFF else _EMPTY)


def _drawn(
    squares: Sequence[tuple[Box, dict[str, Any]]], drawings: Sequence[dict[str, Any]], words: Sequence[Word]
) -> list[Tick]:
    """Return the boxes among the squares: those without text in them that are neither in one nor cells of a grid."""
    texts = [Box(*word[:4]) for word in words]
    apart = [
        (box, own)
        for box, own in squares
        if not any(box.contains_centre(text) for text in texts)
        and not any(
            _is_inside(box, other) or (box.is_near(other, _TOUCH_PT) and not _is_inside(other, box))
            for other, one in squares
            if one is not own
        )
    ]
    marked = [any(_is_inside(Box(*one["rect"]), box) and one is not own for one in drawings) for box, own in apart]
    shades = [_shade(drawing) for _, drawing in apart]
    has_empty = any(shade > _LIGHT and not is_marked for shade, is_marked in zip(shades, marked, strict=True))
    return [
        Tick(box, _TICKED if is_marked or shade < _DARK else _EMPTY)
        for (box, _), shade, is_marked in zip(apart, shades, marked, strict=True)
        if shade > _LIGHT or (shade < _DARK and has_empty)
    ]


def _is_square(drawing: dict[str, Any]) -> bool:
    """Return whether a drawing is the outline of a small square: a rectangle, or lines."""
    if "s" not in drawing["type"] or {item[0] for item in drawing["items"]} - {"re", "l"}:
        return False
    box = Box(*drawing["rect"])
    least, most = sorted((box.width, box.height))
    is_whole = drawing["items"][0][0] == "re" or len(drawing["items"]) >= 4
    return is_whole and least >= _SMALLEST_PT and most <= min(_LARGEST_PT, _MOST_OBLONG * least)


def _shade(drawing: dict[str, Any]) -> float:
    """Return the brightness within an outline, 0 is black; that of paper where nothing fills it."""
    fill = drawing.get("fill") if "f" in drawing["type"] else None
    return sum(fill) / len(fill) if fill else 1.0


def _is_inside(box: Box, other: Box) -> bool:
    return other.contains_centre(box) and box.area < other.area and other.is_near(box, -0.5)


def _share_row(tick: Tick, line: Line) -> bool:
    return line.box.y0 < (tick.box.y0 + tick.box.y1) / 2 < line.box.y1


def _with_signs(line: Line, ticks: Sequence[Tick], words: Sequence[Word]) -> Line:
    """Return a line with the signs of boxes that stand among its words."""
    own = [(word[4], (word[0] + word[2]) / 2) for word in words if line.box.contains_centre(Box(*word[:4]))]
    pieces = sorted([*own, *((tick.sign, tick.middle) for tick in ticks)], key=lambda piece: piece[1])
    ordered = reversed(pieces) if is_right_to_left(line.text) else pieces
    return replace(line, text=normalised_text(" ".join(text for text, _ in ordered)))


def _add_beside(tick: Tick, lines: list[Line]) -> None:
    """Write the sign of a box before the text that follows it, else behind the text before it, in place."""
    near = [
        (gap, at, is_after)
        for at, line in enumerate(lines)
        if _share_row(tick, line)
        for gap, is_after in (_gap(tick, line),)
        if gap <= _FARTHEST_EM * line.size
    ]
    if near:
        _, at, is_after = min(near, key=lambda one: (not one[2], one[0]))
        line = lines[at]
        text = f"{tick.sign} {line.text}" if is_after else f"{line.text} {tick.sign}"
        lines[at] = replace(line, text=text, box=line.box | tick.box)


def _gap(tick: Tick, line: Line) -> tuple[float, bool]:
    """Return the distance between a box and a line, and whether the line is read after it."""
    is_left = (line.box.x0 + line.box.x1) / 2 < tick.middle
    gap = tick.box.x0 - line.box.x1 if is_left else line.box.x0 - tick.box.x1
    return gap, is_left == is_right_to_left(line.text)
