"""A parsed document as one HTML page: its pages' pictures with the boxes of the nodes, beside their text."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from kohaku_lib.documents.viewer_dropped import dropped_lines
from kohaku_lib.documents.viewer_items import HEADING, Place, ViewItem, pages_of, view_items
from kohaku_lib.documents.viewer_pictures import PagePicture, TextLine
from kohaku_lib.documents.viewer_template import SCRIPT, STYLE
from kohaku_lib.tables import DocumentPayload

_HUES = {"text": 212, HEADING: 0, "table": 135, "figure": 285, "caption": 35, "footnote": 55, "ocr": 185, "list": 240}
_DROPPED = "dropped"
_LABEL_WIDTH = 0.03  # of the page's width
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def render_viewer(payload: DocumentPayload, pictures: Sequence[PagePicture] = ()) -> str:
    """Return an HTML page that shows what was parsed: it holds everything it needs and asks nothing of a network.

    Every place of a node is a box on its page, coloured by kind and numbered in reading order; without `pictures`
    only the text of the nodes is shown. With some pages' pictures, the nodes of other pages are left out. Lines of
    the text layer that no node holds are dashed boxes and listed beneath their page.
    """
    items = view_items(payload)
    if pictures:
        shown = {picture.page for picture in pictures}
        items = [item for item in items if not pages_of([item]) or shown.intersection(pages_of([item]))]
    dropped = {picture.page: dropped_lines(picture, items) for picture in pictures}
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{escape(payload.title)}</title><style>{STYLE}</style></head><body>",
        *_header(payload, items, pictures, sum(map(len, dropped.values()))),
        '<main id="view">' if pictures else '<main id="view" class="tree">',
        *(_pages(pictures, items, dropped) if pictures else ()),
        *_nodes(items),
        f"</main><script>{SCRIPT}</script></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _header(
    payload: DocumentPayload, items: Sequence[ViewItem], pictures: Sequence[PagePicture], dropped: int
) -> Iterator[str]:
    counts = Counter(item.kind for item in items)
    if dropped:
        counts[_DROPPED] = dropped
    characters = sum(len(item.text) for item in items)
    pages = payload.metadata.get("pages")
    of_pages = f"{len(pictures)} of {pages} pages, " if pictures and isinstance(pages, int) else ""
    yield f"<header><h1>{escape(payload.title)}</h1>"
    yield f'<span class="facts">{escape(payload.document_id)}: {of_pages}{len(items)} nodes, {characters:,} characters</span>'
    yield '<span class="legend">'
    for kind, number in counts.most_common():
        yield (
            f'<label style="--hue:{_hue(kind)}"><input type="checkbox" checked data-toggle="{escape(kind)}">'
            f'<span class="swatch"></span>{escape(kind)} {number}</label>'
        )
    yield "</span>"
    if len(pictures) > 1:
        options = "".join(f'<option value="{picture.page}">page {picture.page}</option>' for picture in pictures)
        yield (
            f'<nav><button id="back">◀</button> <select id="page">{options}</select> <button id="forth">▶</button></nav>'
        )
    yield "</header>"


def _pages(
    pictures: Sequence[PagePicture], items: Sequence[ViewItem], dropped: dict[int, list[TextLine]]
) -> Iterator[str]:
    yield '<section id="pages">'
    for picture in pictures:
        lost = dropped[picture.page]
        yield f'<figure id="picture-{picture.page}">'
        yield (
            f'<img alt="page {picture.page}" width="{picture.width:.0f}" height="{picture.height:.0f}" '
            f'style="height:auto" src="data:image/webp;base64,{picture.webp_base64}">'
        )
        boxes = [(item, place) for item in items for place in item.places if place.page == picture.page]
        for item, place in sorted(boxes, key=lambda box: -_area(box[1])):  # what is small lies on top
            yield _box(item, place, picture)
        for line in lost:
            title = escape(line.text)
            yield f'<div class="box dropped" data-kind="{_DROPPED}" title="{title}" style="{_style(line.box, picture)}"></div>'
        yield "</figure>"
        yield f'<div class="caption">page {picture.page}{_dropped_list(lost)}</div>'
    yield "</section>"


def _dropped_list(lines: Sequence[TextLine]) -> str:
    if not lines:
        return ""
    entries = "".join(f"<li>{escape(line.text)}</li>" for line in lines)
    return f"<details><summary>{len(lines)} lines in no node</summary><ul>{entries}</ul></details>"


def _box(item: ViewItem, place: Place, picture: PagePicture) -> str:
    style = f"--hue:{_hue(item.kind)};{_style(place.box, picture)}"
    if place.is_row:
        return f'<div class="box row" data-kind="{escape(item.kind)}" style="{style}"></div>'
    edge = " edge" if picture.shown_box(place.box)[0] < _LABEL_WIDTH * picture.width else ""
    return (
        f'<div class="box{edge}" data-node="{item.number}" data-kind="{escape(item.kind)}" style="{style}">'
        f"<b>{item.number}</b></div>"
    )


def _area(place: Place) -> float:
    x0, y0, x1, y1 = place.box
    return (x1 - x0) * (y1 - y0)


def _style(box: tuple[float, float, float, float], picture: PagePicture) -> str:
    x0, y0, x1, y1 = picture.shown_box(box)
    return (
        f"left:{100 * x0 / picture.width:.2f}%;top:{100 * y0 / picture.height:.2f}%;"
        f"width:{100 * (x1 - x0) / picture.width:.2f}%;height:{100 * (y1 - y0) / picture.height:.2f}%"
    )


def _nodes(items: Sequence[ViewItem]) -> Iterator[str]:
    yield '<section id="nodes">'
    seen: int | None = None
    for item in items:
        if item.page is not None and (seen is None or item.page > seen):
            seen = item.page
            yield f'<div class="pagemark" id="text-{item.page}">page {item.page}</div>'
        yield _node(item)
    yield "</section>"


def _node(item: ViewItem) -> str:
    tag = "pre" if item.kind == "table" else "p"
    kind = escape(item.kind)
    classes = f"node {HEADING}" if item.kind == HEADING else "node"
    return (
        f'<div class="{classes}" data-node="{item.number}" data-kind="{kind}" '
        f'style="--hue:{_hue(item.kind)};--depth:{max(0, item.depth - 1)}">'
        f"<{tag}><small>{item.number} {kind}</small>{escape(item.text)}</{tag}></div>"
    )


def _hue(kind: str) -> int:
    """Return the kind's colour on the wheel; an unknown kind gets one by its name."""
    return _HUES.get(kind, zlib.crc32(kind.encode()) % 360)
