"""Detect tables whose cells are drawn with rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kohaku_lib.documents.formats.pdf.tables.forms import without_head_of_form
from kohaku_lib.documents.formats.pdf.tables.ruled_cells import grid_table, word_end
from kohaku_lib.documents.formats.pdf.tables.rules import THICKEST_RULE_PT
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText, text_source
from kohaku_lib.documents.formats.pdf.text.right_to_left_spans import is_right_to_left
from kohaku_lib.documents.formats.pdf.text.strikes import without_struck_words
from kohaku_lib.documents.formats.pdf.text.words_as_shown import words_as_shown

if TYPE_CHECKING:
    import pymupdf

_TOUCH_PT = 2.0
_MOST_RULES = 1500
_LEAST_EDGES = 3
_LEAST_RULES = 4
_LEAST_DRAWN_SHARE = 0.6
_SAME_ROW_PT = 4.0  # of the sum of top and bottom

_Rule = tuple[float, float, float]  # position, start, end


@dataclass(slots=True)
class _RuleGrid:
    """Touching rules as (position, start, end): horizontal ones with their y, vertical ones with their x."""

    horizontal: list[_Rule]
    vertical: list[_Rule]

    @property
    def box(self) -> Box:
        """Return the box between the outermost ends of the rules."""
        xs = [end for _, *ends in self.horizontal for end in ends]
        ys = [end for _, *ends in self.vertical for end in ends]
        return Box(min(xs), min(ys), max(xs), max(ys))

    @property
    def mirrored(self) -> _RuleGrid:
        """Return the grid at the other side of x = 0."""
        across = [(y, -end, -start) for y, start, end in self.horizontal]
        return _RuleGrid(across, [(-x, start, end) for x, start, end in self.vertical])


def find_ruled_tables(page: pymupdf.Page, text: PageText) -> list[PageTable]:
    """Return the tables of `page` formed by the rules of its `text`, from top to bottom.

    A grid is a set of touching rules with at least two rows and two columns and most inner edges drawn. Grids with text
    in fewer than three tenths of the cells, or around long prose, are not tables. Rotated pages are skipped.
    """
    if text.turn or not text.lines:
        return []
    grids = [grid for grid in _touching_grids(text.rules) if len(grid.horizontal) and len(grid.vertical)]
    words: Any = without_struck_words(page.get_text("words"), text.strikes) if grids else []
    tables = [table for grid in grids if (table := _read_table(grid, page, text, words)) is not None]
    tables = [without_head_of_form(table, text.lines) for table in tables]
    marked = [replace(table, has_bold_head=_has_bold_head(table, text.lines)) for table in tables]
    return sorted(marked, key=lambda table: (table.box.y0, table.box.x0))


def _has_bold_head(table: PageTable, lines: Sequence[Line]) -> bool:
    """Return whether the whole header is bold and the rest of the table is not."""
    head, *body = table.row_boxes
    above = [line.bold for line in lines if head.contains_centre(line.box)]
    below = [line.bold for line in lines if any(row.contains_centre(line.box) for row in body)]
    return any(above) and all(above) and not all(below)


def _touching_grids(rules: Sequence[Box]) -> list[_RuleGrid]:
    """Return the groups of touching rules."""
    if not _LEAST_RULES <= len(rules) <= _MOST_RULES:
        return []
    groups: list[tuple[Box, list[Box]]] = []
    for rule in sorted(rules, key=lambda rule: (rule.y0, rule.x0)):
        whole, members = rule, [rule]
        apart = []
        for box, others in groups:
            if whole.is_near(box, _TOUCH_PT) and any(rule.is_near(other, _TOUCH_PT) for other in others):
                whole, members = whole | box, members + others
            else:
                apart.append((box, others))
        groups = [*apart, (whole, members)]
    return [_grid_of_rules(members) for _, members in groups if len(members) >= _LEAST_RULES]


def _grid_of_rules(rules: Sequence[Box]) -> _RuleGrid:
    horizontal = [((r.y0 + r.y1) / 2, r.x0, r.x1) for r in rules if r.width >= r.height]
    vertical = [((r.x0 + r.x1) / 2, r.y0, r.y1) for r in rules if r.height > r.width]
    return _RuleGrid(horizontal, vertical)


def _read_table(grid: _RuleGrid, page: pymupdf.Page, text: PageText, words: Sequence[Any]) -> PageTable | None:
    """Return the table of a grid; one whose text runs left is read in a mirror, and so its labels come first."""
    inside = [word[4] for word in words if grid.box.contains_centre(Box(*word[:4]))]
    from_right = is_right_to_left(" ".join(inside))
    ticks = [tick for tick in text.ticks if grid.box.contains_centre(tick.box)]
    if from_right or ticks:
        signs = [(astuple(tick.box), tick.sign) for tick in ticks]
        words = without_struck_words(words_as_shown(text_source(page), signs, from_right=from_right), text.strikes)
    if not from_right:
        return _table_of_grid(grid, words)
    table = _table_of_grid(grid.mirrored, [(-word[2], word[1], -word[0], *word[3:]) for word in words])
    return None if table is None else table.mirrored


def _table_of_grid(grid: _RuleGrid, words: Sequence[Any]) -> PageTable | None:
    grid = _RuleGrid(grid.horizontal, _without_crossed(grid.vertical, words))
    if not grid.vertical:
        return None
    xs, ys = _edge_positions(grid.vertical, grid.horizontal), _edge_positions(grid.horizontal, grid.vertical)
    if min(len(xs), len(ys)) < _LEAST_EDGES or not (
        _is_drawn(grid.vertical, xs, ys) and _is_drawn(grid.horizontal, ys, xs)
    ):
        return None
    return grid_table(
        xs,
        ys,
        words,
        lambda row, column: _has_rule(grid.vertical, xs[column + 1], (ys[row] + ys[row + 1]) / 2),
        lambda row, column: _has_rule(grid.horizontal, ys[row + 1], (xs[column] + xs[column + 1]) / 2),
    )


def _without_crossed(rules: Sequence[_Rule], words: Sequence[Any]) -> list[_Rule]:
    """Return the upright rules without those that go through more lines of text than they part: these are decoration."""
    rows = sorted(words, key=lambda word: (round(word[1] + word[3]), word[0]))
    beside = list(pairwise([*rows, (0.0,) * 8]))
    crossed = {at for at in {at for at, _, _ in rules} if _goes_through(at, rules, beside)}
    return [rule for rule in rules if rule[0] not in crossed]


def _goes_through(at: float, rules: Sequence[_Rule], beside: Sequence[tuple[Any, Any]]) -> bool:
    through = parted = 0
    for word, following in beside:
        is_beside = word[2] < at < following[0] and abs(word[1] + word[3] - following[1] - following[3]) <= _SAME_ROW_PT
        is_through = word[0] + 1 < at < word_end(word, following) - 1
        if (is_beside or is_through) and _has_rule(rules, at, (word[1] + word[3]) / 2):
            through += is_through
            parted += not is_through
    return through > parted


def _edge_positions(rules: Sequence[_Rule], crossing: Sequence[_Rule]) -> list[float]:
    """Return the distinct positions of rules and the outer ends of the crossing ones.

    Positions closer than the width of a rule are merged.
    """
    ends = [min(start for _, start, _ in crossing), max(end for _, _, end in crossing)]
    positions: list[float] = []
    for position in sorted([*(position for position, _, _ in rules), *ends]):
        if not positions or position - positions[-1] > THICKEST_RULE_PT:
            positions.append(position)
    return positions


def _is_drawn(rules: Sequence[_Rule], own: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether most inner edges between neighbouring cells are drawn."""
    edges = [(at, (start + end) / 2) for at in own[1:-1] for start, end in pairwise(other)]
    return sum(_has_rule(rules, at, middle) for at, middle in edges) >= _LEAST_DRAWN_SHARE * len(edges)


def _has_rule(rules: Sequence[_Rule], at: float, middle: float) -> bool:
    return any(abs(position - at) <= THICKEST_RULE_PT and start <= middle <= end for position, start, end in rules)
