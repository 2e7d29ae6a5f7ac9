"""Tables whose cells are drawn with rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.pdf.page_text import Box, PageText, clean_text
from kohaku_lib.documents.pdf.tables import Table

if TYPE_CHECKING:
    import pymupdf

_THICKEST_RULE_PT = 2.5
_SHORTEST_RULE_PT = 6.0
_TOUCH_PT = 2.0
_MOST_DRAWINGS = 3000
_MOST_RULES = 1500
_LEAST_EDGES = 3
_LEAST_RULES = 4
_LEAST_DRAWN_SHARE = 0.6
_LEAST_FILLED_SHARE = 0.3
_LARGEST_CELL_CHARACTERS = 1500


@dataclass(slots=True)
class _Grid:
    """Rules that touch one another, as (position, start, end): those across by y, those down by x."""

    across: list[tuple[float, float, float]]
    down: list[tuple[float, float, float]]


def find_ruled_tables(page: pymupdf.Page, text: PageText, drawings: Sequence[dict[str, Any]]) -> list[Table]:
    """Return the tables of `page` that are drawn as grids, from top to bottom.

    A grid is a set of rules that touch, with two rows and two columns at least, most of whose inner edges are
    drawn; `drawings` as `page.get_cdrawings` gives them. Grids of which fewer than three tenths of the cells hold
    text, or that frame long prose, are no tables. Turned pages are not looked at.
    """
    if text.turn or not text.lines:
        return []
    if not drawings or len(drawings) > _MOST_DRAWINGS:
        return []
    grids = [grid for grid in _grids(_rules(drawings)) if len(grid.across) and len(grid.down)]
    words: Any = page.get_text("words") if grids else []
    tables = [_table(grid, words) for grid in grids]
    return sorted((table for table in tables if table is not None), key=lambda table: (table.box.y0, table.box.x0))


def _rules(drawings: Iterable[dict[str, Any]]) -> list[Box]:
    """Return the straight rules as thin boxes; a frame gives its four sides."""
    rules: list[Box] = []
    for drawing in drawings:
        for box in _item_boxes(drawing):
            if min(box.width, box.height) <= _THICKEST_RULE_PT:
                rules.append(box)
            elif "s" in drawing["type"]:
                rules.extend(_sides(box))
    return [rule for rule in rules if max(rule.width, rule.height) >= _SHORTEST_RULE_PT]


def _item_boxes(drawing: dict[str, Any]) -> Iterator[Box]:
    for item in drawing["items"]:
        if item[0] == "l":
            (x0, y0), (x1, y1) = item[1], item[2]
        elif item[0] == "re":
            x0, y0, x1, y1 = item[1]
        else:
            continue
        yield Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def _sides(box: Box) -> list[Box]:
    return [
        Box(box.x0, box.y0, box.x1, box.y0),
        Box(box.x0, box.y1, box.x1, box.y1),
        Box(box.x0, box.y0, box.x0, box.y1),
        Box(box.x1, box.y0, box.x1, box.y1),
    ]


def _grids(rules: Sequence[Box]) -> list[_Grid]:
    """Return the rules in groups that touch."""
    if not _LEAST_RULES <= len(rules) <= _MOST_RULES:
        return []
    groups: list[tuple[Box, list[Box]]] = []
    for rule in sorted(rules, key=lambda rule: (rule.y0, rule.x0)):
        whole, members = rule, [rule]
        apart = []
        for box, others in groups:
            if _touch(whole, box) and any(_touch(rule, other) for other in others):
                whole, members = whole | box, members + others
            else:
                apart.append((box, others))
        groups = [*apart, (whole, members)]
    return [_grid(members) for _, members in groups if len(members) >= _LEAST_RULES]


def _touch(a: Box, b: Box) -> bool:
    across = a.x0 - _TOUCH_PT <= b.x1 and b.x0 - _TOUCH_PT <= a.x1
    return across and a.y0 - _TOUCH_PT <= b.y1 and b.y0 - _TOUCH_PT <= a.y1


def _grid(rules: Sequence[Box]) -> _Grid:
    across = [((r.y0 + r.y1) / 2, r.x0, r.x1) for r in rules if r.width >= r.height]
    down = [((r.x0 + r.x1) / 2, r.y0, r.y1) for r in rules if r.height > r.width]
    return _Grid(across, down)


def _table(grid: _Grid, words: Sequence[Any]) -> Table | None:
    xs, ys = _positions(grid.down, grid.across), _positions(grid.across, grid.down)
    if min(len(xs), len(ys)) < _LEAST_EDGES or not (_is_drawn(grid.down, xs, ys) and _is_drawn(grid.across, ys, xs)):
        return None
    cells = [["" for _ in xs[1:]] for _ in ys[1:]]
    for word in sorted(words, key=lambda word: word[5:8]):
        column = _interval((word[0] + word[2]) / 2, xs)
        row = _interval((word[1] + word[3]) / 2, ys)
        if column is not None and row is not None:
            cells[row][column] = f"{cells[row][column]} {word[4]}".strip()
    return _checked(cells, Box(xs[0], ys[0], xs[-1], ys[-1]))


def _positions(
    rules: Sequence[tuple[float, float, float]], crossing: Sequence[tuple[float, float, float]]
) -> list[float]:
    """Return the distinct positions of rules and the outer ends of those that cross them.

    Positions that are closer than the width of a rule are taken together.
    """
    ends = [min(start for _, start, _ in crossing), max(end for _, _, end in crossing)]
    positions: list[float] = []
    for position in sorted([*(position for position, _, _ in rules), *ends]):
        if not positions or position - positions[-1] > _THICKEST_RULE_PT:
            positions.append(position)
    return positions


def _is_drawn(rules: Sequence[tuple[float, float, float]], own: Sequence[float], other: Sequence[float]) -> bool:
    """Tell whether most inner edges between neighbouring cells are there."""
    edges = [(at, (start + end) / 2) for at in own[1:-1] for start, end in pairwise(other)]
    drawn = sum(
        any(abs(position - at) <= _THICKEST_RULE_PT and start <= middle <= end for position, start, end in rules)
        for at, middle in edges
    )
    return drawn >= _LEAST_DRAWN_SHARE * len(edges)


def _interval(value: float, edges: Sequence[float]) -> int | None:
    for index, (start, end) in enumerate(pairwise(edges)):
        if start <= value < end:
            return index
    return None


def _checked(cells: Sequence[Sequence[str]], box: Box) -> Table | None:
    rows = [[clean_text(cell) for cell in row] for row in cells if any(row)]
    columns = [index for index in range(len(cells[0])) if any(row[index] for row in rows)]
    grid = tuple(tuple(row[index] for index in columns) for row in rows)
    texts = [cell for row in grid for cell in row]
    if len(grid) < 2 or len(columns) < 2 or max(map(len, texts)) > _LARGEST_CELL_CHARACTERS:
        return None
    return Table(grid, box) if sum(map(bool, texts)) >= _LEAST_FILLED_SHARE * len(texts) else None
