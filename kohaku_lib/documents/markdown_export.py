"""Payloads as Markdown, for people to read and for other tools to take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload

_LOWEST_LEVEL = 6


def payload_to_markdown(payload: DocumentPayload) -> str:
    r"""Return what the document says as Markdown: headings by level, tables as they are, paragraphs, captions.

    A heading that lives on only in the paths of deeper ones is written where the first of them begins, one without
    any text before the section that notes it. Titles that the document does not hold (the page numbers and
    stand-ins of sections without a heading) and the placeholders of images are left out; of an image its caption
    stands. A table's caption stands above it once, also where it repeats the heading or paragraph before it. Without
    sections the text itself is returned. The result ends in one line break; nothing gives "".

    >>> section = SectionPayload("Age", (ParagraphPayload("It is old."),), {"level": 2, "heading_path": ["Amber", "Age"]})
    >>> print(payload_to_markdown(DocumentPayload("a", "A", "It is old.", {}, (section,))), end="")
    # Amber
    <BLANKLINE>
    ## Age
    <BLANKLINE>
    It is old.
    """
    pieces = [payload.text] if payload.sections is None else _pieces(payload.sections)
    text = "\n\n".join(filter(None, (piece.strip("\n") for piece in pieces)))
    return text + "\n" if text else ""


def _pieces(sections: Sequence[SectionPayload]) -> Iterator[str]:
    before: list[str] = []
    for section in sections:
        path = section.metadata.get("heading_path") or []
        for level, title in section.metadata.get("empty_headings") or []:
            yield f"{'#' * level} {title}"
        yield from _headings(path, before, section.metadata.get("level"))
        before = path
        last = path[-1] if path else ""
        for paragraph in section.paragraphs:
            yield from _paragraph(paragraph, last)
            last = paragraph.text


def _headings(path: Sequence[str], before: Sequence[str], level: Any) -> Iterator[str]:
    """Yield the headings of `path` that `before` did not begin with; its last one is always new."""
    shared = 0
    while shared < min(len(path) - 1, len(before)) and path[shared] == before[shared]:
        shared += 1
    lowest = level if isinstance(level, int) and level > 0 else len(path)
    for depth in range(shared, len(path)):
        own = lowest if depth == len(path) - 1 else depth + 1
        yield f"{'#' * min(own, _LOWEST_LEVEL)} {' '.join(path[depth].split())}"


def _paragraph(paragraph: ParagraphPayload, before: str) -> Iterator[str]:
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
