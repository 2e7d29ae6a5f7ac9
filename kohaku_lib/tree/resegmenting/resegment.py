"""Payloads whose paragraphs are whole pages → payloads with real sections, paragraphs and sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload
from kohaku_lib.text.languages import language_of
from kohaku_lib.tree.page_boxes import page_of
from kohaku_lib.tree.resegmenting.blocks import Block, blocks
from kohaku_lib.tree.resegmenting.page_lines import PageLine, is_text, page_lines
from kohaku_lib.tree.resegmenting.paragraph_sizing import paragraphs_of
from kohaku_lib.tree.resegmenting.vocabulary import WordCounts


def is_hard_wrapped(payload: DocumentPayload) -> bool:
    """Return whether the text of `payload` lies in printed lines, as a whole page in one paragraph does.

    That is the case if every section has a page and most of the text is in paragraphs of more than four lines of at
    most 200 characters.

    >>> is_hard_wrapped(DocumentPayload("d", "D", "One paragraph."))
    False
    """
    sections = [section for section in payload.sections or () if any(map(is_text, section.paragraphs))]
    if not sections or any(page_of(section.metadata) is None for section in sections):
        return False
    texts = [paragraph.text for section in sections for paragraph in section.paragraphs if is_text(paragraph)]
    total = sum(map(len, texts))
    broken = sum(len(text) for text in texts if _is_hard_wrapped(text))
    return broken >= 0.5 * total > 0


def resegment(payload: DocumentPayload, settings: TreeSettings) -> DocumentPayload:
    """Return `payload` with its text rebuilt from the printed lines; tables and images keep their page.

    Lines are joined to paragraphs of 300 to 1,500 characters, across pages too; hyphenated words are joined
    unless other words of the document confirm the hyphen; running headers, footers and page numbers are removed;
    headings open sections; the rows of a table stay together as the sentences of one paragraph. Every paragraph and
    sentence keeps the page on which it begins.
    """
    lines = [line for page in page_lines(payload) for line in page]
    vocabulary = WordCounts(lines)
    mended = [replace(line, text=vocabulary.mend(line.text)) for line in lines]
    attachments = [
        _with_page(paragraph, section)
        for section in payload.sections or ()
        for paragraph in section.paragraphs
        if not is_text(paragraph)
    ]
    paragraphs = partial(
        paragraphs_of, vocabulary=vocabulary, settings=settings, language=language_of(payload.metadata)
    )
    sections = _sections_of_blocks(payload.title, blocks(mended), paragraphs)
    return replace(payload, sections=_with_attachments(sections, attachments, payload.title))


def _is_hard_wrapped(text: str) -> bool:
    lines = text.split("\n")
    return len(lines) > 4 and len(text) / len(lines) <= 200


def _with_page(paragraph: ParagraphPayload, section: SectionPayload) -> ParagraphPayload:
    return replace(paragraph, metadata={"page": section.metadata.get("page"), **paragraph.metadata})


def _sections_of_blocks(
    title: str, text_blocks: list[Block], paragraphs_in: Callable[[list[Block]], list[ParagraphPayload]]
) -> list[SectionPayload]:
    """Return the sections; a heading without text under it goes into the title of the next section."""
    sections: list[SectionPayload] = []
    titles: list[PageLine] = []
    body: list[Block] = []
    for block in [*text_blocks, Block("heading", [PageLine("", 0)])]:
        if block.kind != "heading":
            body.append(block)
            continue
        if body:
            name = " / ".join(line.text for line in titles) or title
            paragraphs = paragraphs_in(body)
            page = titles[0].page if titles else body[0].lines[0].page
            sections.append(SectionPayload(name, tuple(paragraphs), {"page": page}))
            titles, body = [], []
        titles.append(block.lines[0])
    return sections


def _with_attachments(
    sections: list[SectionPayload], attachments: list[ParagraphPayload], title: str
) -> tuple[SectionPayload, ...]:
    """Return `sections` with every attachment at the end of the last section that begins on or before its page."""
    if not sections:
        return (SectionPayload(title, tuple(attachments), {}),) if attachments else ()
    pages = [section.metadata["page"] for section in sections]
    added: list[list[ParagraphPayload]] = [[] for _ in sections]
    for attachment in attachments:
        page = page_of(attachment.metadata) or 1
        added[max((at for at, start in enumerate(pages) if start <= page), default=0)].append(attachment)
    return tuple(
        replace(section, paragraphs=(*section.paragraphs, *extra))
        for section, extra in zip(sections, added, strict=True)
    )
