"""Draws graphs without circles as SVG, so that no page loads a script to show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from itertools import pairwise

_CHAR, _HEIGHT, _PAD, _GAP, _LAYER_GAP = 7.2, 30, 14, 22, 46  # px
_HEAD = ' marker-end="url(#arrow)"'
_COLOURS = ("#fff3d6", "#e3eefb", "#e6f4e4", "#f7e4ec", "#eeeeee")


Edges = Mapping[str, Iterable[str]]  # names to the names they point to
_Bends = dict[tuple[str, str], list[str]]  # an edge to the names of its places in the layers between its ends


@dataclass(frozen=True)
class Box:
    """A node where it is drawn, in pixels, its middle at (x, y)."""

    x: float
    y: float
    width: float


def draw_graph(edges: Edges, groups: Mapping[str, str] | None = None, labels: Mapping[str, str] | None = None) -> str:
    """Return an SVG picture of `edges`, arrows down; boxes of a group share a colour, and show their label, else their name.

    A node stands as low as those it points to allow; within its layer where those that point to it are on average.
    """
    names = list(dict.fromkeys([*edges, *(end for ends in edges.values() for end in ends)]))
    texts = {name: (labels or {}).get(name, name) for name in names}
    layers, bends, short = _with_bends(_depths(names, edges), edges)
    boxes = _boxes(layers, short, texts)
    colours = dict(zip(dict.fromkeys((groups or {}).values()), _COLOURS, strict=False))
    paths = [[start, *bends[start, end], end] for start, ends in edges.items() for end in sorted(ends)]
    parts = ["".join(_edge(boxes, path, number) for number in range(1, len(path))) for path in paths]
    parts += [
        _node(text, boxes[name], colours.get((groups or {}).get(name, ""), _COLOURS[0])) for name, text in texts.items()
    ]
    parts += [_legend(number, group, colour) for number, (group, colour) in enumerate(colours.items())]
    width = max(box.x + box.width / 2 for box in boxes.values()) + _PAD
    height = max(box.y for box in boxes.values()) + _HEIGHT / 2 + _PAD
    return _picture(max(width, 100 * len(colours) + _PAD), height, parts)


def _depths(names: list[str], edges: Edges) -> dict[str, int]:
    """Return the layer of each name: one below those that point to it, then as low as those it points to allow."""
    highest: dict[str, int] = {}
    lowest: dict[str, int] = {}

    def high(name: str) -> int:
        if name not in highest:
            highest[name] = 1 + max((high(start) for start, ends in edges.items() if name in ends), default=-1)
        return highest[name]

    def low(name: str) -> int:
        if name not in lowest:
            lowest[name] = min((low(end) - 1 for end in edges.get(name, ())), default=high(name))
        return lowest[name]

    return {name: low(name) for name in names}


def _with_bends(depths: dict[str, int], edges: Edges) -> tuple[list[list[str]], _Bends, dict[str, list[str]]]:
    """Return the layers with a place for each edge that crosses one, these places by edge, and the edges between neighbours."""
    layers: list[list[str]] = [[] for _ in range(1 + max(depths.values()))]
    for name, depth in depths.items():
        layers[depth].append(name)
    bends: _Bends = {}
    short: dict[str, list[str]] = {}
    for start, end in ((start, end) for start, ends in edges.items() for end in sorted(ends)):
        bends[start, end] = [f"{start} {depth} {end}" for depth in range(depths[start] + 1, depths[end])]
        for place in bends[start, end]:
            layers[int(place.split(" ")[1])].append(place)
        path = [start, *bends[start, end], end]
        for one, other in pairwise(path):
            short.setdefault(one, []).append(other)
    return layers, bends, short


def _boxes(layers: list[list[str]], edges: Edges, texts: Mapping[str, str]) -> dict[str, Box]:
    widths = {name: _CHAR * len(texts[name]) + _PAD if name in texts else 0.0 for layer in layers for name in layer}
    spans = [sum(widths[name] for name in layer) + _GAP * (len(layer) - 1) for layer in layers]
    boxes: dict[str, Box] = {}
    for number, layer in enumerate(layers):
        above = {name: [boxes[start].x for start, ends in edges.items() if name in ends] for name in layer}
        x = _PAD + (max(spans) - spans[number]) / 2
        for name in sorted(layer, key=lambda name: _middle(above[name], max(spans))):
            y = 3 * _PAD + _HEIGHT / 2 + number * (_HEIGHT + _LAYER_GAP)
            boxes[name] = Box(x + widths[name] / 2, y, widths[name])
            x += widths[name] + _GAP
    return boxes


def _middle(places: list[float], whole: float) -> float:
    return sum(places) / len(places) if places else whole / 2


def _edge(boxes: Mapping[str, Box], path: list[str], number: int) -> str:
    """Return the part of an edge that ends at place `number` of its path; only the last one has an arrow head."""
    start, end = boxes[path[number - 1]], boxes[path[number]]
    is_last = number == len(path) - 1
    top = start.y + (_HEIGHT / 2 if number == 1 else 0)
    bottom = end.y - (_HEIGHT / 2 + 5 if is_last else 0)
    middle = (top + bottom) / 2
    line = f"M{start.x:.0f} {top:.0f}C{start.x:.0f} {middle:.0f} {end.x:.0f} {middle:.0f} {end.x:.0f} {bottom:.0f}"
    return f'<path d="{line}" class="edge"{_HEAD if is_last else ""}/>'


def _node(text: str, box: Box, colour: str) -> str:
    place = f'x="{box.x - box.width / 2:.0f}" y="{box.y - _HEIGHT / 2:.0f}" width="{box.width:.0f}" height="{_HEIGHT}"'
    return f'<rect {place} rx="5" fill="{colour}"/><text x="{box.x:.0f}" y="{box.y + 4:.0f}">{escape(text)}</text>'


def _legend(number: int, group: str, colour: str) -> str:
    x = _PAD + 100 * number
    box = f'<rect x="{x}" y="{_PAD - 6}" width="14" height="14" rx="3" fill="{colour}"/>'
    return f'{box}<text x="{x + 20}" y="{_PAD + 5}" class="legend">{escape(group)}</text>'


def _picture(width: float, height: float, parts: Iterable[str]) -> str:
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    style = (
        "text{font:12px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;fill:#222}.legend{text-anchor:start}"
        "rect{stroke:#888}.edge{fill:none;stroke:#777}.sheet{fill:#fff;stroke:none}"
    )
    marker = '<marker id="arrow" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    arrow = f'<defs>{marker}<path d="M0 0L8 4L0 8z" fill="#777"/></marker></defs>'
    sheet = f'<rect class="sheet" width="{width:.0f}" height="{height:.0f}"/>'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>{arrow}{sheet}'
    return "\n".join([start, *parts, "</svg>\n"])
