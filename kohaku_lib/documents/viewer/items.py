"""What a payload holds, as a flat list in reading order: what the viewer shows and numbers."""

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
    """A rectangle on a page, in points; `is_row` where it is one row of a table."""

    page: int
    box: tuple[float, float, float, float]
    is_row: bool = False


@dataclass(frozen=True, slots=True)
class ViewItem:
    """A heading or paragraph; `number` counts all of them from 1 in reading order, `depth` its headings above."""

    number: int
    kind: str
    text: str
    places: tuple[Place, ...]
    depth: int = 0
    page: int | None = None


def view_items(payload: DocumentPayload) -> list[ViewItem]:
    r"""Return the headings and paragraphs of `payload` in reading order; without sections its text as paragraphs.

    The kind of a paragraph is table or figure, else its metadata's `content_type`, else ocr on a page that was read
    so, else caption where its text begins like one, else text. Its places are the metadata's `boxes` (page, x0, y0,
    x1, y1 each), else its one `bbox`, and those of its sentences where it is a table.

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
    """Return the pages on which the items stand, ascending."""
    pages = {place.page for item in items for place in item.places} | {item.page for item in items if item.page}
    return sorted(page for page in pages if page is not None)


def _section_items(section: SectionPayload, numbers: Iterator[int], scanned: frozenset[int]) -> Iterator[ViewItem]:
    metadata = section.metadata
    level = metadata.get("level")
    depth = level if isinstance(level, int) else 1
    yield ViewItem(next(numbers), HEADING, section.title, tuple(_places(metadata)), depth, _page(metadata))
    for paragraph in section.paragraphs:
        kind, page = _kind(paragraph, scanned), _page(paragraph.metadata)
        places = tuple(_places(paragraph.metadata))
        if kind == TABLE:
            places += tuple(_row_places(paragraph))
        yield ViewItem(next(numbers), kind, _text(paragraph), places, depth + 1, page)


def _text(paragraph: ParagraphPayload) -> str:
    """Return the paragraph's text; of an image also the caption, which the payload keeps beside it."""
    caption = paragraph.metadata.get("page_caption")
    has_caption = isinstance(caption, str) and caption and caption not in paragraph.text
    return f"{paragraph.text}\n{caption}" if has_caption else paragraph.text


def _kind(paragraph: ParagraphPayload, scanned: frozenset[int]) -> str:
    from kohaku_lib.documents.formats.pdf.blocks import CAPTION

    metadata = paragraph.metadata
    attachment = _ATTACHMENTS.get(str(metadata.get("attachment_type")))
    if attachment:
        return attachment
    stated = metadata.get("content_type")
    if isinstance(stated, str) and stated not in {"", "body"}:
        return stated
    if _page(metadata) in scanned:
        return "ocr"
    return "caption" if CAPTION.match(paragraph.text) else "text"


def _page(metadata: Mapping[str, Any]) -> int | None:
    page = metadata.get("page")
    return page if isinstance(page, int) else None


def _places(metadata: Mapping[str, Any]) -> Iterator[Place]:
    boxes = metadata.get("boxes")
    if isinstance(boxes, list) and boxes:
        for entry in boxes:
            if isinstance(entry, list) and entry:
                yield from _place(entry[0], entry[1:])
    else:
        yield from _place(_page(metadata), metadata.get("bbox"))


def _row_places(table: ParagraphPayload) -> Iterator[Place]:
    for row in table.sentences or ():
        yield from _place(_page(row.metadata), row.metadata.get("bbox"), is_row=True)


def _place(page: object, box: object, *, is_row: bool = False) -> Iterator[Place]:
    """Yield the place where both are sound; a payload from elsewhere may hold anything."""
    if not isinstance(page, int) or not isinstance(box, Sequence) or len(box) != _BOX_SIDES:
        return
    if all(isinstance(side, (int, float)) for side in box):
        x0, y0, x1, y1 = (float(side) for side in box)
        yield Place(page, (x0, y0, x1, y1), is_row)
