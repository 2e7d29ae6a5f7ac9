"""Group blocks into sections by headings or pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from kohaku_lib.documents.formats.pdf.blocks import Block, Place
from kohaku_lib.documents.formats.pdf.tables.captions import row_sentences
from kohaku_lib.documents.formats.pdf.text.page_text import Box, PageText, page_box
from kohaku_lib.tables import ParagraphPayload, SectionPayload

_LEAST_HEADINGS = 2
_LEAST_BODY_SHARE = 0.5


def build_sections(
    blocks: Sequence[Block], pages: dict[int, PageText], title: str, policy: Literal["headings", "pages"]
) -> tuple[SectionPayload, ...]:
    """Return the sections of a document, in order.

    With "headings", text before the first one is in a section with the document's title; a heading without a body is
    kept in the heading path of deeper ones, else as a paragraph. Documents with fewer than two headings, or more
    heading than body text, fall back to pages: one section "Page N" for every page with text.
    """
    if policy == "headings" and _has_useful_headings(blocks):
        return _by_headings(blocks, pages, title)
    return _by_pages(blocks, pages)


@dataclass(slots=True)
class _OpenSection:
    title: str
    metadata: dict[str, Any]
    heading: Block | None = None
    paragraphs: list[ParagraphPayload] = field(default_factory=list)


def _has_useful_headings(blocks: Sequence[Block]) -> bool:
    headings = [block for block in blocks if block.kind == "heading"]
    characters = sum(len(block.text) for block in blocks)
    body = characters - sum(len(block.text) for block in headings)
    return len(headings) >= _LEAST_HEADINGS and body >= _LEAST_BODY_SHARE * characters


def _by_pages(blocks: Sequence[Block], pages: dict[int, PageText]) -> tuple[SectionPayload, ...]:
    by_page: dict[int, list[ParagraphPayload]] = {}
    for block in blocks:
        by_page.setdefault(block.page, []).append(_paragraph_payload(block, pages))
    return tuple(
        SectionPayload(f"Page {page}", tuple(paragraphs), {"page": page})
        for page, paragraphs in sorted(by_page.items())
    )


def _by_headings(blocks: Sequence[Block], pages: dict[int, PageText], title: str) -> tuple[SectionPayload, ...]:
    opened = [_OpenSection(title, {"level": 0, "heading_path": [], "page": blocks[0].page})]
    path: list[Block] = []
    for block in blocks:
        if block.kind != "heading":
            opened[-1].paragraphs.append(_paragraph_payload(block, pages))
            continue
        _fold_bodiless_heading(opened, block, pages)
        path = [*(step for step in path if step.level < block.level), block]
        metadata = {
            "level": block.level,
            "heading_path": [step.text for step in path],
            "page": block.page,
            "bbox": page_box(block.box, pages[block.page]),
        }
        opened.append(_OpenSection(block.text, metadata, block))
    _fold_bodiless_heading(opened, None, pages)
    return tuple(SectionPayload(s.title, tuple(s.paragraphs), s.metadata) for s in opened if s.paragraphs)


def _fold_bodiless_heading(opened: list[_OpenSection], following: Block | None, pages: dict[int, PageText]) -> None:
    """Append a heading followed by neither a body nor a deeper heading to the preceding section, as text."""
    last = opened[-1]
    if last.heading is None or last.paragraphs or (following is not None and following.level > last.heading.level):
        return
    opened.pop()
    opened[-1].paragraphs.append(_paragraph_payload(last.heading, pages))


def _paragraph_payload(block: Block, pages: dict[int, PageText]) -> ParagraphPayload:
    """Return the block as a paragraph with its page and box.

    `line_boxes` has [offset in the text, page, x0, y0, x1, y1] of each line. If the paragraph spans columns or pages,
    `boxes` has [page, x0, y0, x1, y1] of every part, the first of which is `bbox`.
    """
    metadata: dict[str, Any] = {"page": block.page, "bbox": page_box(block.box, pages[block.page])}
    metadata.update((key, value) for key, value in block.metadata.items() if not key.startswith("_"))
    if block.places:
        metadata["line_boxes"] = [
            [place.offset, place.page, *page_box(place.box, pages[place.page])] for place in block.places
        ]
    parts = _column_boxes(block.places)
    if len(parts) > 1:
        metadata["boxes"] = [[page, *page_box(box, pages[page])] for page, box in parts]
    return ParagraphPayload(block.text, row_sentences(block, pages), metadata)


def _column_boxes(places: Sequence[Place]) -> list[tuple[int, Box]]:
    """Return page and box of every run of lines without a page or column break."""
    parts: list[tuple[int, Box]] = []
    for place in places:
        if parts and parts[-1][0] == place.page and place.box.y1 > parts[-1][1].y1 - place.box.height:
            parts[-1] = place.page, parts[-1][1] | place.box
        else:
            parts.append((place.page, place.box))
    return parts
