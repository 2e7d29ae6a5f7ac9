"""Detect footnotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, takewhile

from kohaku_lib.documents.formats.pdf.blocks import Block

FOOTNOTE = "footnote"
_MARK = re.compile(r"(?:\d{1,3}[.)]?\s?[A-Z“\"‘(]|[*∗†‡§¶]{1,3}(?:\s+\S|[A-Z“\"‘(]?[a-z])|[a-z]\)?\s[A-Z“\"])")
_BIBLIOGRAPHY = re.compile(r"\W*(?:\d+\.?\s+)?(?:references|bibliography|works cited|literature cited)\W*\Z", re.I)
_SMALLER = 0.94
_LEAST_SHARE_OF_TEXT = 0.2
_LEAST_TOP = 0.35  # of the page's height


def mark_footnotes(blocks: Sequence[Block], page_height: float) -> None:
    """Set the content type of the footnotes among the blocks of one page to "footnote".

    Footnotes are the last paragraphs of a column in smaller print than the page's text, from the first one that begins
    with a superscript, a number or a sign such as "*" or "†". An unmarked paragraph belongs to the note above it.
    """
    body = _text_size(blocks)
    before = takewhile(lambda block: not _BIBLIOGRAPHY.match(block.text), blocks)
    for _, members in groupby(before, key=lambda block: block.region):
        for block in _notes_of_column(list(members), body, page_height):
            block.metadata["content_type"] = FOOTNOTE


def is_footnote(block: Block) -> bool:
    """Return whether `mark_footnotes` classified the block as a footnote."""
    return block.metadata.get("content_type") == FOOTNOTE


def _text_size(blocks: Sequence[Block]) -> float:
    """Return the largest size with a sufficient share of the page's text; notes may have more letters than the text."""
    sizes = Counter[float]()
    for block in blocks:
        if block.kind == "text":
            sizes[round(block.size * 2) / 2] += len(block.text)
    least = _LEAST_SHARE_OF_TEXT * sizes.total()
    return max((size for size, count in sizes.items() if count >= least), default=0.0)


def _notes_of_column(column: list[Block], body: float, page_height: float) -> list[Block]:
    """Return the notes at the end of a column; images, which are not part of its order, are ignored."""
    texts = [block for block in column if block.kind != "image"]
    start = len(texts)
    while start > 0 and _is_small_print(texts[start - 1], body, page_height):
        start -= 1
    marked = (index for index in range(start, len(texts)) if _is_marked(texts[index]))
    return texts[next(marked, len(texts)) :]


def _is_small_print(block: Block, body: float, page_height: float) -> bool:
    low = block.box.y0 > _LEAST_TOP * page_height
    return block.kind == "text" and low and block.size <= _SMALLER * body and not block.is_caption


def _is_marked(block: Block) -> bool:
    return block.raised or _MARK.match(block.text) is not None
