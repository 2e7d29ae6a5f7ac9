"""Extract the straight rules drawn on a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kohaku_lib.documents.formats.pdf.text.page_text import Box, PageText
from kohaku_lib.documents.formats.pdf.text.strikes import Strike

THICKEST_RULE_PT = 2.5
_SHORTEST_RULE_PT = 6.0
_SHORTEST_STRIKE_PT = 3.0
_LEVEL_PT = 0.2
_WHITE = (1.0, 1.0, 1.0)
_MOST_DRAWINGS = 3000
_TOUCH_PT = 1.0


def page_rules(drawings: Sequence[dict[str, Any]], text: PageText) -> tuple[Box, ...]:
    """Return the rules among the `drawings` of `page.get_cdrawings` as thin boxes; a frame has four, an oblique line none.

    Lines that strike out words are none. Rotated pages, pages without text and pages with more than 3,000 drawings (maps,
    plots) have none.
    """
    if text.turn or not text.lines or len(drawings) > _MOST_DRAWINGS:
        return ()
    return tuple(rule for rule in _straight_rules(drawings) if not any(_is_part(rule, one) for one in text.strikes))


def across_spans(drawings: Sequence[dict[str, Any]]) -> list[Strike]:
    """Return the horizontal lines of any length among the drawings, those that touch as one, none of maps and plots."""
    flat = [] if len(drawings) > _MOST_DRAWINGS else [list(_item_boxes(one)) for one in drawings if _is_flat(one)]
    thin = [box for boxes in flat for box in boxes if box.width >= _SHORTEST_STRIKE_PT]
    y_to_spans = ruled_spans(thin, float("-inf"), float("inf"))
    return [Strike(x0, x1, y) for y, spans in y_to_spans.items() for x0, x1 in spans]


def ruled_spans(rules: Sequence[Box], top: float, bottom: float) -> dict[float, list[tuple[float, float]]]:
    """Return the x intervals covered by horizontal rules between `top` and `bottom`, by their y.

    >>> ruled_spans([Box(10, 50, 40, 51), Box(40, 50, 60, 51), Box(80, 50, 90, 51), Box(5, 10, 5, 99)], 0, 100)
    {50.5: [(10, 60), (80, 90)]}
    """
    across = sorted(
        (rule for rule in rules if top <= (rule.y0 + rule.y1) / 2 <= bottom and rule.x1 - rule.x0 > rule.y1 - rule.y0),
        key=lambda rule: rule.y0 + rule.y1,
    )
    y_to_spans: dict[float, list[tuple[float, float]]] = {}
    for rule in across:
        y = (rule.y0 + rule.y1) / 2
        last = next(reversed(y_to_spans), None)
        level = last if last is not None and y - last <= _TOUCH_PT else y
        y_to_spans.setdefault(level, []).append((rule.x0, rule.x1))
    return {y: _merge_intervals(spans) for y, spans in y_to_spans.items()}


def _is_flat(drawing: dict[str, Any]) -> bool:
    """Return whether a drawing is of visible horizontal lines alone; outlines of shapes and strokes of a pen are not."""
    boxes = list(_item_boxes(drawing))
    _, y0, _, y1 = drawing["rect"]
    is_level = y1 - y0 <= THICKEST_RULE_PT or all(box.height <= _LEVEL_PT for box in boxes)
    colour = drawing.get("fill") or drawing.get("color")
    is_thin = (drawing.get("width") or 0.0) <= THICKEST_RULE_PT
    return len(boxes) == len(drawing["items"]) and is_level and is_thin and colour != _WHITE


def _is_part(rule: Box, strike: Strike) -> bool:
    within = strike.x0 - _TOUCH_PT <= rule.x0 and rule.x1 <= strike.x1 + _TOUCH_PT
    return within and abs((rule.y0 + rule.y1) / 2 - strike.y) <= _TOUCH_PT


def _merge_intervals(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if merged and start - merged[-1][1] <= _TOUCH_PT:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def _straight_rules(drawings: Iterable[dict[str, Any]]) -> list[Box]:
    rules: list[Box] = []
    for drawing in drawings:
        for box in _item_boxes(drawing):
            if min(box.width, box.height) <= THICKEST_RULE_PT:
                rules.append(box)
            elif "s" in drawing["type"]:
                rules.extend(_side_rules(box))
    return [rule for rule in rules if max(rule.width, rule.height) >= _SHORTEST_RULE_PT]


def _item_boxes(drawing: dict[str, Any]) -> Iterator[Box]:
    for item in drawing["items"]:
        if item[0] == "l":
            (x0, y0), (x1, y1) = item[1], item[2]
            if min(abs(x1 - x0), abs(y1 - y0)) > THICKEST_RULE_PT:
                continue  # oblique: it frames nothing
        elif item[0] == "re":
            x0, y0, x1, y1 = item[1]
        else:
            continue
        yield Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def _side_rules(box: Box) -> list[Box]:
    return [
        Box(box.x0, box.y0, box.x1, box.y0),
        Box(box.x0, box.y1, box.x1, box.y1),
        Box(box.x0, box.y0, box.x0, box.y1),
        Box(box.x1, box.y0, box.x1, box.y1),
    ]
