"""Flatten a payload into the numbered items of the viewer, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload

HEADING = "heading"
TABLE = "table"
_ATTACHMENTS = {"table": TABLE, "image": "figure"}
_BOX_SIDES = 4


@dataclass(frozen=True, slots=True)
class Place:
    """A rectangle on a page, in points; `is_row` marks one row of a table."""

    page: int
    box: tuple[float, float, float, float]
    is_row: bool = False


@dataclass(frozen=True, slots=True)
class ViewItem:
    """A heading or paragraph; `number` is its 1-based position, `depth` its nesting depth below headings."""

    number: int
    kind: str
    text: str
    places: tuple[Place, ...]
    depth: int = 0
    page: int | None = None


def view_items(payload: DocumentPayload) -> list[ViewItem]:
    r"""Return the headings and paragraphs of `payload` in reading order; without sections, the paragraphs of its text.

    The kind of a paragraph is table or figure, else its metadata's `content_type`, else ocr on a page read by OCR,
    else caption if the text begins like one, else text. Its places are the metadata's `boxes` (page, x0, y0, x1, y1
    each), else its `bbox`; a table also has the places of its rows.

    >>> payload = DocumentPayload("a", "A", "One.\n\nTwo.")
    >>> [(item.number, item.kind, item.text) for item in view_items(payload)]
    [(1, 'text', 'One.'), (2, 'text', 'Two.')]
    """
    if payload.sections is None:
        texts = [text.strip() for text in payload.text.split("\n\n") if text.strip()]
        return [ViewItem(number, "text", text, ()) for number, text in enumerate(texts, 1)]
    numbers = count(1)
    read_by_ocr = payload.metadata.get("pages_read_by_ocr")
    scanned = (
        frozenset(page for page in read_by_ocr if isinstance(page, int))
        if isinstance(read_by_ocr, list)
        else frozenset()
    )
    return [item for section in payload.sections for item in _section_items(section, numbers, scanned)]


def pages_of(items: Sequence[ViewItem]) -> list[int]:
    """Return the page numbers of the items, ascending."""
    pages = {place.page for item in items for place in item.places} | {item.page for item in items if item.page}
    return sorted(page for page in pages if page is not None)


def _section_items(section: SectionPayload, numbers: Iterator[int], scanned: frozenset[int]) -> Iterator[ViewItem]:
    metadata = section.metadata
    level = metadata.get("level")
    depth = level if isinstance(level, int) else 1
    yield ViewItem(
        next(numbers), HEADING, section.title, tuple(_stated_places(metadata)), depth, _page_number(metadata)
    )
    for paragraph in section.paragraphs:
        kind, page = _item_kind(paragraph, scanned), _page_number(paragraph.metadata)
        places = tuple(_stated_places(paragraph.metadata))
        if kind == TABLE:
            places += tuple(_row_places(paragraph))
        yield ViewItem(next(numbers), kind, _text_with_caption(paragraph), places, depth + 1, page)


def _text_with_caption(paragraph: ParagraphPayload) -> str:
    """Return the paragraph's text; for an image with the caption from its metadata."""
    caption = paragraph.metadata.get("page_caption")
    has_caption = isinstance(caption, str) and caption and caption not in paragraph.text
    return f"{paragraph.text}\n{caption}" if has_caption else paragraph.text


def _item_kind(paragraph: ParagraphPayload, scanned: frozenset[int]) -> str:
    from kohaku_lib.documents.formats.pdf.blocks import CAPTION

    metadata = paragraph.metadata
    attachment = _ATTACHMENTS.get(str(metadata.get("attachment_type")))
    if attachment:
        return attachment
    stated = metadata.get("content_type")
    if isinstance(stated, str) and stated not in {"", "body"}:
        return stated
    if _page_number(metadata) in scanned:
        return "ocr"
    return "caption" if CAPTION.match(paragraph.text) else "text"


def _page_number(metadata: Mapping[str, Any]) -> int | None:
    page = metadata.get("page")
    return page if isinstance(page, int) else None


def _stated_places(metadata: Mapping[str, Any]) -> Iterator[Place]:
    boxes = metadata.get("boxes")
    if isinstance(boxes, list) and boxes:
        for entry in boxes:
            if isinstance(entry, list) and entry:
                yield from _checked_place(entry[0], entry[1:])
    else:
        yield from _checked_place(_page_number(metadata), metadata.get("bbox"))


def _row_places(table: ParagraphPayload) -> Iterator[Place]:
    for row in table.sentences or ():
        yield from _checked_place(_page_number(row.metadata), row.metadata.get("bbox"), is_row=True)


def _checked_place(page: object, box: object, *, is_row: bool = False) -> Iterator[Place]:
    """Yield the place if page and box are valid; external payloads may contain any value."""
    if not isinstance(page, int) or not isinstance(box, Sequence) or len(box) != _BOX_SIDES:
        return
    if all(isinstance(side, (int, float)) for side in box):
        x0, y0, x1, y1 = (float(side) for side in box)
        yield Place(page, (x0, y0, x1, y1), is_row)
