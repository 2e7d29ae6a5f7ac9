"""Export payloads as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload

_LOWEST_LEVEL = 6


def payload_to_markdown(payload: DocumentPayload) -> str:
    r"""Return a document as Markdown: headings by level, tables unchanged, paragraphs, captions.

    A heading that appears only in the heading paths of deeper sections is written before the first of them; a
    heading without text is written before the section that lists it. Generated titles (page numbers, placeholders of
    sections without a heading) and image placeholders are omitted; an image is represented by its caption. A table
    caption is written once above its table, even if the preceding heading or paragraph repeats it. A payload without
    sections is exported as its text. The result ends in one line break; an empty payload gives "".

    >>> section = SectionPayload("Age", (ParagraphPayload("It is old."),), {"level": 2, "heading_path": ["Amber", "Age"]})
    >>> print(payload_to_markdown(DocumentPayload("a", "A", "It is old.", {}, (section,))), end="")
    # Amber
    <BLANKLINE>
    ## Age
    <BLANKLINE>
    It is old.
    """
    pieces = [payload.text] if payload.sections is None else _markdown_pieces(payload.sections)
    text = "\n\n".join(filter(None, (piece.strip("\n") for piece in pieces)))
    return text + "\n" if text else ""


def _markdown_pieces(sections: Sequence[SectionPayload]) -> Iterator[str]:
    before: list[str] = []
    for section in sections:
        path = section.metadata.get("heading_path") or []
        for level, title in section.metadata.get("empty_headings") or []:
            yield f"{'#' * level} {title}"
        yield from _heading_lines(path, before, section.metadata.get("level"))
        before = path
        last = path[-1] if path else ""
        for paragraph in section.paragraphs:
            yield from _paragraph_pieces(paragraph, last)
            last = paragraph.text


def _heading_lines(path: Sequence[str], before: Sequence[str], level: Any) -> Iterator[str]:
    """Yield the headings of `path` beyond its common prefix with `before`; the last one is always yielded."""
    shared = 0
    while shared < min(len(path) - 1, len(before)) and path[shared] == before[shared]:
        shared += 1
    lowest = level if isinstance(level, int) and level > 0 else len(path)
    for depth in range(shared, len(path)):
        own = lowest if depth == len(path) - 1 else depth + 1
        yield f"{'#' * min(own, _LOWEST_LEVEL)} {' '.join(path[depth].split())}"


def _paragraph_pieces(paragraph: ParagraphPayload, before: str) -> Iterator[str]:
    if paragraph.metadata.get("modality") == "image":
        yield paragraph.metadata.get("page_caption") or ""
        return
    caption = paragraph.metadata.get("table_caption")
    if not caption or not paragraph.text.startswith(f"{caption}\n"):
        yield paragraph.text
        return
    if caption != before:
        yield caption
    yield paragraph.text.removeprefix(f"{caption}\n")
