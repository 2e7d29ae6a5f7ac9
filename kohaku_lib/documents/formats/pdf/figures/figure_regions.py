"""Detect the figures of a page: clusters of drawn marks, extended by adjacent labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from kohaku_lib.documents.formats.pdf.figures.figure_captions import is_adjacent, is_figure_caption, nearest_caption
from kohaku_lib.documents.formats.pdf.figures.figure_labels import reads_as_table, with_labels
from kohaku_lib.documents.formats.pdf.figures.marks import (
    LEAST_SHAPES,
    SAME_EDGE_PT,
    Mark,
    are_bars,
    prose_lines,
)
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText

_GAP_PT = 12.0
_ALIGNED_GAP_PT = 36.0
_CELL_PT = 16.0
_LEAST_WIDTH_PT = 45.0
_LEAST_HEIGHT_PT = 32.0
_LARGEST_SHARE = 0.9
_LEAST_SHAPE_SHARE = 0.08
_MOST_PROSE_SHARE = 0.35
_MOST_PROSE_CHARACTERS = 400
_SMALL_SHARE = 0.03
_PARTS_GAP_PT = 45.0
_EDGE_SHARE = 0.25
_FIELD_LABEL_PT = 5.0


@dataclass(frozen=True, slots=True)
class Region:
    """A figure on a page: its box with labels, the box of its marks alone, and the marks."""

    box: Box
    drawn: Box
    marks: tuple[Mark, ...]
    owns_text: bool = True  # False for a possible logo, whose words remain in the running text


def figure_regions(marks: Sequence[Mark], tables: Sequence[Box], text: PageText) -> list[Region]:
    """Return the figures of a page, from top to bottom; overlapping ones are merged.

    A figure contains an image, curves and slanted lines of some extent, or bars: rectangles on a common baseline with
    different lengths; any drawing with an adjacent caption is a figure too. Rules, frames and shaded cells alone are
    not figures, nor are drawings on one of `tables` or mostly covered by prose.
    """
    seeds = [mark for mark in marks if mark.kind != "rule" and not any(mark.box.is_near(table) for table in tables)]
    if not seeds:
        return []
    prose = prose_lines(text)
    captions = [line.box for line in text.lines if is_figure_caption(line.text)]
    clusters, others = _parted(_mark_clusters(seeds, prose), text, prose, captions)
    for cluster in clusters:
        _add_rules(cluster, marks, tables)
    whole = _merge_by_caption(_merge_near(clusters, 0.0, prose), captions, prose)
    taken = [*tables, *(cluster.box for cluster in others)]
    regions = _merge_overlapping([_cluster_region(cluster, text, taken, captions) for cluster in whole], prose)
    return sorted(regions, key=lambda region: (round(region.box.y0), round(region.box.x0)))


def _parted(
    clusters: Sequence[_Cluster], text: PageText, prose: Sequence[Line], captions: Sequence[Box]
) -> tuple[list[_Cluster], list[_Cluster]]:
    """Return the clusters that are figures, and the others, whose words are labels of no figure beside them."""
    kinds = [_is_figure(cluster, text, prose, captions) for cluster in clusters]
    figures = [cluster for cluster, is_figure in zip(clusters, kinds, strict=True) if is_figure]
    return figures, [cluster for cluster, is_figure in zip(clusters, kinds, strict=True) if not is_figure]


def _cluster_region(cluster: _Cluster, text: PageText, tables: Sequence[Box], captions: Sequence[Box]) -> Region:
    box = cluster.box
    is_small = box.area < _SMALL_SHARE * text.width * text.height
    if is_small and not any(is_adjacent(box, caption) for caption in captions):
        return Region(box, box, tuple(cluster.marks), owns_text=False)
    whole = _without_captions(with_labels(box, text, tables), captions)
    return Region(whole, box, tuple(cluster.marks))


def _without_captions(box: Box, captions: Sequence[Box]) -> Box:
    """Return `box` without captions that overlap its upper or lower edge."""
    for caption in captions:
        if not box.is_near(caption, -1.0):
            continue
        if box.y1 - caption.y0 < _EDGE_SHARE * box.height:
            box = Box(box.x0, box.y0, box.x1, caption.y0)
        elif caption.y1 - box.y0 < _EDGE_SHARE * box.height:
            box = Box(box.x0, caption.y1, box.x1, box.y1)
    return box


def _merge_overlapping(regions: Sequence[Region], prose: Sequence[Line]) -> list[Region]:
    """Return the regions with those that overlap including their labels merged."""
    whole: list[Region] = []
    for region in regions:
        joined = region
        while over := next((other for other in whole if _belong_together(joined.box, other.box, -1.0, prose)), None):
            whole = [other for other in whole if other is not over]
            owns = joined.owns_text or over.owns_text
            joined = Region(joined.box | over.box, joined.drawn | over.drawn, joined.marks + over.marks, owns)
        whole.append(joined)
    return whole


@dataclass(slots=True)
class _Cluster:
    box: Box
    marks: list[Mark] = field(default_factory=list)


def _mark_clusters(marks: Sequence[Mark], prose: Sequence[Line]) -> list[_Cluster]:
    """Return the marks in groups whose boxes are at most a gap apart; close ones are pre-grouped by grid cell."""
    cells: dict[tuple[int, int], _Cluster] = {}
    for mark in marks:
        box = mark.box
        key = int((box.x0 + box.x1) / 2 // _CELL_PT), int((box.y0 + box.y1) / 2 // _CELL_PT)
        cluster = cells.setdefault(key, _Cluster(box))
        cluster.box |= box
        cluster.marks.append(mark)
    return _merge_near(list(cells.values()), _GAP_PT, prose)


def _merge_near(clusters: Sequence[_Cluster], gap: float, prose: Sequence[Line]) -> list[_Cluster]:
    groups: list[_Cluster] = []
    for cluster in clusters:
        whole = _Cluster(cluster.box, list(cluster.marks))
        while near := [group for group in groups if _belong_together(whole.box, group.box, gap, prose)]:
            whole.box |= near[0].box
            whole.marks += near[0].marks
            groups = [group for group in groups if group is not near[0]]
        groups.append(whole)
    return groups


def _merge_by_caption(clusters: Sequence[_Cluster], captions: Sequence[Box], prose: Sequence[Line]) -> list[_Cluster]:
    """Return the clusters with the parts of a figure, which share a caption, merged."""
    groups: dict[int, list[_Cluster]] = {}
    for position, cluster in enumerate(clusters):
        own = nearest_caption(cluster.box, captions)
        groups.setdefault(-1 - position if own is None else own, []).append(cluster)
    return [whole for group in groups.values() for whole in _merge_near(group, _PARTS_GAP_PT, prose)]


def _belong_together(a: Box, b: Box, gap: float, prose: Sequence[Line]) -> bool:
    """Return whether two boxes are near and the box around both contains no prose outside of them.

    Boxes with a common edge, such as bars, may be further apart.
    """
    aligned = abs(a.y1 - b.y1) < SAME_EDGE_PT or abs(a.x0 - b.x0) < SAME_EDGE_PT
    if not a.is_near(b, max(gap, _ALIGNED_GAP_PT) if aligned and gap > 0 else gap):
        return False
    both = a | b
    return not any(
        line.box.is_near(both, -2.0) and not line.box.is_near(a, -2.0) and not line.box.is_near(b, -2.0)
        for line in prose
    )


def _is_figure(cluster: _Cluster, text: PageText, prose: Sequence[Line], captions: Sequence[Box]) -> bool:
    box = cluster.box
    is_small = box.width < _LEAST_WIDTH_PT or box.height < _LEAST_HEIGHT_PT
    if is_small or box.area > _LARGEST_SHARE * text.width * text.height:
        return False
    covered = sum(line.box.area for line in prose if box.contains_centre(line.box))
    if covered > _MOST_PROSE_SHARE * box.area:
        return False
    has_caption = any(is_adjacent(box, caption) for caption in captions)
    if (
        not has_caption
        and sum(len(line.text) for line in prose if box.contains_centre(line.box)) > _MOST_PROSE_CHARACTERS
    ):
        return False
    if _has_image(cluster):
        return True
    inner = [line for line in text.lines if box.contains_centre(line.box)]
    if reads_as_table(inner):
        return False
    return has_caption or _has_shapes(cluster) or _has_bars(cluster, inner)


def _has_image(cluster: _Cluster) -> bool:
    images = [mark.box for mark in cluster.marks if mark.kind == "image"]
    return sum(box.area for box in images) > 0.25 * cluster.box.area


def _has_shapes(cluster: _Cluster) -> bool:
    shapes = [mark.box for mark in cluster.marks if mark.kind == "shape"]
    if not shapes:
        return False
    covers = reduce(or_, shapes).area > _LEAST_SHAPE_SHARE * cluster.box.area
    return covers and len(shapes) >= LEAST_SHAPES


def _has_bars(cluster: _Cluster, inner: Sequence[Line]) -> bool:
    panels = {mark.box for mark in cluster.marks if mark.kind == "panel"}
    empty = [box for box in panels if not any(box.contains_centre(line.box) for line in inner)]
    vertical = Counter((round(box.y1 / SAME_EDGE_PT)) for box in empty)
    level = [box for box in empty if not any(_is_label_of_field(line.box, box) for line in inner)]
    horizontal = Counter((round(box.x0 / SAME_EDGE_PT)) for box in level)
    heights = [box.height for box in empty if round(box.y1 / SAME_EDGE_PT) == _most_common(vertical)]
    widths = [box.width for box in level if round(box.x0 / SAME_EDGE_PT) == _most_common(horizontal)]
    return are_bars(heights) or are_bars(widths)


def _is_label_of_field(line: Box, box: Box) -> bool:
    """Return whether a line stands on the left end of a rectangle, as in a form; the labels of bars stand beside them."""
    return abs(line.x0 - box.x0) < _FIELD_LABEL_PT and -_FIELD_LABEL_PT < box.y0 - line.y1 < line.height


def _most_common(counts: Counter[int]) -> int | None:
    return max(counts, key=lambda key: (counts[key], key)) if counts else None


def _add_rules(cluster: _Cluster, marks: Sequence[Mark], tables: Sequence[Box]) -> None:
    """Add the axes, grid lines and frame of a figure to it, but no rules across the page."""
    limit = 1.6 * max(cluster.box.width, cluster.box.height)
    rules = [m for m in marks if m.kind == "rule" and max(m.box.width, m.box.height) <= limit]
    free = [rule for rule in rules if not any(rule.box.is_near(table) for table in tables)]
    for rule in free:
        if rule.box.is_near(cluster.box, 4.0):
            cluster.box |= rule.box
            cluster.marks.append(rule)
