"""Which blocks are headings, and of which level."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from kohaku_lib.documents.pdf.blocks import Block
from kohaku_lib.documents.pdf.footnotes import is_footnote
from kohaku_lib.documents.pdf.heading_levels import heading_levels
from kohaku_lib.documents.pdf.page_text import PageText

_NUMBERED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[IVX]{1,5}\.|[A-H]\.|(?:Item|ITEM|Appendix|Chapter|Part|PART|Note|NOTE)\s+\w+\.?)\s+\S"
)
_NO_HEADING_END = re.compile(r"[,;]\Z|[^.\d]\.\Z")
_BULLET = re.compile(r"[•●▪■◦‣○□–—*-]\s")
_LONGEST, _LONGEST_BOLD, _MOST_LINES = 160, 110, 3
_LEAST_LETTERS = 0.5
_LARGER, _LARGER_STILL = 1.09, 1.4
_MOST_CAPITAL_WORDS = 8
_SLANTED_TITLE = re.compile(r"[A-Z][^.:;,\d]{3,59}\Z")  # no date, name with degree, or sentence
_LONGEST_PARTICLE = 3
_LEAST_TITLE_SHARE = 0.75

Outline = dict[int, dict[str, int]]


def body_size(pages: Sequence[PageText]) -> float:
    """Return the font size, in points, that most characters of the document have."""
    sizes = Counter[float]()
    for page in pages:
        for line in page.lines:
            sizes[round(line.size * 2) / 2] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], size)) if sizes else 10.0


def mark_headings(blocks: Sequence[Block], body: float, outline: Outline) -> None:
    """Turn those text blocks into headings that the outline names or that stand out by size or weight.

    `outline` holds, by page, the level of each entry by its normalised title. For levels see `heading_levels`.
    """
    texts = [block for block in blocks if block.kind == "text" and not is_footnote(block)]
    mostly_bold = sum(block.bold for block in texts) > len(texts) / 2
    entries = {id(block): _outline_level(block, outline) for block in texts}
    found = [block for block in texts if entries[id(block)] or _is_heading(block, body, mostly_bold)]
    pages = max((block.page for block in blocks), default=1)
    for block, level in zip(found, heading_levels(found, entries, body, pages), strict=True):
        block.kind, block.level = "heading", level


def outline_key(title: str) -> str:
    """Return a title as outlines are compared: letters and digits only, lower case.

    >>> outline_key("3.1  Machine Room")
    '31machineroom'
    """
    return "".join(character for character in title.lower() if character.isalnum())


def _outline_level(block: Block, outline: Outline) -> int:
    if len(block.text) > 2 * _LONGEST:
        return 0
    return outline.get(block.page, {}).get(outline_key(block.text), 0)


def _is_heading(block: Block, body: float, mostly_bold: bool) -> bool:
    """Return what the page's layout says where it was analysed, else whether the block stands out."""
    stated = block.metadata.get("_is_heading")
    return _stands_out(block, body, mostly_bold) if stated is None else stated


def _stands_out(block: Block, body: float, mostly_bold: bool) -> bool:
    text = block.text
    letters = sum(map(str.isalpha, text)) if len(text) <= _LONGEST else 0
    if block.lines > _MOST_LINES or len(text) > _LONGEST or letters < max(3, _LEAST_LETTERS * len(text)):
        return False
    if block.is_caption or _BULLET.match(text) or (_NO_HEADING_END.search(text) and not _NUMBERED.match(text)):
        return False
    if text[0].islower() and block.size < _LARGER_STILL * body:
        return False  # in the text layer of a scan the size of a line wavers
    if block.size >= _LARGER * body:
        return True
    if len(text) > _LONGEST_BOLD or block.size < 0.93 * body or text[0].islower():
        return False
    capitals = text.isupper() and block.lines == 1 and letters > 5 and len(text.split()) <= _MOST_CAPITAL_WORDS
    return (block.bold and not mostly_bold) or capitals or (block.italic and _is_slanted_title(block))


def _is_slanted_title(block: Block) -> bool:
    words = [word for word in block.text.split() if len(word) > _LONGEST_PARTICLE]
    capitals = sum(word[0].isupper() for word in words)
    alone = block.lines == 1 and _SLANTED_TITLE.match(block.text) is not None
    return alone and capitals >= _LEAST_TITLE_SHARE * len(words) > 0
