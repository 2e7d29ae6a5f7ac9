"""Render a parsed document as one HTML page: page images with node boxes beside the text."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kohaku_lib.documents.formats.pdf.text.page_text import Box
from kohaku_lib.documents.viewer.blocks import TextBlock, text_blocks
from kohaku_lib.documents.viewer.items import HEADING, Place, ViewItem, pages_of, view_items
from kohaku_lib.documents.viewer.rendered_pages import RenderedPage, TextLine
from kohaku_lib.html_pages import templates
from kohaku_lib.tables import DocumentPayload

_HUES = {"text": 212, HEADING: 0, "table": 135, "figure": 285, "caption": 35, "footnote": 55, "ocr": 185, "list": 240}
_DROPPED = "dropped"
_LABEL_WIDTH = 0.03  # of the page's width
_SLACK_PT = 2.0
_LEAST_LETTERS = 8  # a shorter line may occur in a text by chance


def render_viewer(payload: DocumentPayload, rendered_pages: Sequence[RenderedPage] = ()) -> str:
    """Return a self-contained HTML page that shows a parsed document.

    Every place of a node is a box on its page, coloured by kind and numbered in reading order; without `rendered_pages` only
    the text of the nodes is shown. If only some pages are rendered, nodes of other pages are omitted. Lines of the
    text layer that are in no node are shown as dashed boxes and listed below their page.
    """
    items = view_items(payload)
    if rendered_pages:
        shown = {rendered_page.page for rendered_page in rendered_pages}
        items = [item for item in items if not pages_of([item]) or shown.intersection(pages_of([item]))]
    pages = [_page_view(rendered_page, items) for rendered_page in rendered_pages]
    return (
        templates(__package__ or "")
        .get_template("viewer.html.j2")
        .render(
            title=payload.title,
            facts=_fact_line(payload, items, len(rendered_pages)),
            kinds=_kind_counts(items, sum(len(page.dropped) for page in pages)),
            pages=pages,
            nodes=list(_node_views(items)),
        )
    )


@dataclass(frozen=True, slots=True)
class _NodeBox:
    """The box of a node on a page; a table row has no number."""

    number: int | None
    kind: str
    style: str
    at_edge: bool = False


@dataclass(frozen=True, slots=True)
class _PageView:
    number: int
    width: str
    height: str
    webp_base64: str
    boxes: list[_NodeBox]
    dropped: list[tuple[TextLine, str]]  # with the CSS of each box


@dataclass(frozen=True, slots=True)
class _NodeView:
    item: ViewItem
    blocks: tuple[TextBlock, ...]
    hue: int
    depth: int
    begins_page: bool


def _fact_line(payload: DocumentPayload, items: Sequence[ViewItem], rendered_pages: int) -> str:
    characters = sum(len(item.text) for item in items)
    pages = payload.metadata.get("pages")
    of_pages = f"{rendered_pages} of {pages} pages, " if rendered_pages and isinstance(pages, int) else ""
    return f"{payload.document_id}: {of_pages}{len(items)} {'part' if len(items) == 1 else 'parts'}, {characters:,} characters"


def _kind_counts(items: Sequence[ViewItem], dropped: int) -> list[tuple[str, int, int]]:
    """Return each kind with its number of items and its hue, most frequent first."""
    counts = Counter(item.kind for item in items)
    if dropped:
        counts[_DROPPED] = dropped
    return [(kind, number, _hue_of_kind(kind)) for kind, number in counts.most_common()]


def _page_view(rendered_page: RenderedPage, items: Sequence[ViewItem]) -> _PageView:
    places = [(item, place) for item in items for place in item.places if place.page == rendered_page.page]
    places.sort(key=lambda pair: -Box(*pair[1].box).area)  # smaller boxes are drawn on top
    return _PageView(
        rendered_page.page,
        f"{rendered_page.width:.0f}",
        f"{rendered_page.height:.0f}",
        rendered_page.webp_base64,
        [_node_box(item, place, rendered_page) for item, place in places],
        [(line, _box_css(line.box, rendered_page)) for line in dropped_lines(rendered_page, items)],
    )


def _node_box(item: ViewItem, place: Place, rendered_page: RenderedPage) -> _NodeBox:
    style = f"--hue:{_hue_of_kind(item.kind)};{_box_css(place.box, rendered_page)}"
    if place.is_row:
        return _NodeBox(None, item.kind, style)
    at_edge = rendered_page.shown_box(place.box)[0] < _LABEL_WIDTH * rendered_page.width
    return _NodeBox(item.number, item.kind, style, at_edge)


def _box_css(box: tuple[float, float, float, float], rendered_page: RenderedPage) -> str:
    x0, y0, x1, y1 = rendered_page.shown_box(box)
    return (
        f"left:{100 * x0 / rendered_page.width:.2f}%;top:{100 * y0 / rendered_page.height:.2f}%;"
        f"width:{100 * (x1 - x0) / rendered_page.width:.2f}%;height:{100 * (y1 - y0) / rendered_page.height:.2f}%"
    )


def _node_views(items: Sequence[ViewItem]) -> Iterator[_NodeView]:
    seen: int | None = None
    for item in items:
        begins_page = item.page is not None and (seen is None or item.page > seen)
        seen = item.page if begins_page else seen
        blocks = tuple(text_blocks(item.text)) or (TextBlock(),)
        yield _NodeView(item, blocks, _hue_of_kind(item.kind), max(0, item.depth - 1), begins_page)


def _hue_of_kind(kind: str) -> int:
    """Return the hue of a kind in degrees; an unknown kind gets one from a hash of its name."""
    return _HUES.get(kind, zlib.crc32(kind.encode()) % 360)


def dropped_lines(rendered_page: RenderedPage, items: Sequence[ViewItem]) -> list[TextLine]:
    """Return the text lines of a page whose centre is in no item's box and whose letters are in no item's text.

    Lines of fewer than eight letters are compared with headings only.

    >>> lines = (TextLine("Kept.", (10, 10, 50, 20)), TextLine("page 7", (10, 700, 50, 710)))
    >>> from kohaku_lib.documents.viewer.items import Place
    >>> item = ViewItem(1, "text", "Kept.", (Place(1, (10, 10, 50, 20)),))
    >>> [line.text for line in dropped_lines(RenderedPage(1, 600, 800, "", lines), [item])]
    ['page 7']
    """
    boxes = [Box(*place.box) for item in items for place in item.places if place.page == rendered_page.page]
    outside = [line for line in rendered_page.lines if not _is_in_any(boxes, Box(*line.box))]
    if not outside:
        return []
    headings = "\n".join(_letters_of(item.text) for item in items if item.kind == HEADING)
    texts = "\n".join(_letters_of(item.text) for item in items)
    return [
        line
        for line in outside
        if (letters := _letters_of(line.text)) not in (texts if len(letters) >= _LEAST_LETTERS else headings)
    ]


def _is_in_any(boxes: Sequence[Box], line: Box) -> bool:
    return any(box.contains_centre(line, _SLACK_PT) for box in boxes)


def _letters_of(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
