"""Detect headings and their levels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kohaku_lib.documents.formats.pdf.blocks import DIVISION, Block
from kohaku_lib.documents.formats.pdf.text.footnotes import is_footnote
from kohaku_lib.documents.formats.pdf.text.page_text import PageText

_NUMBERED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[IVX]{1,5}\.|[A-H]\.|(?:Item|ITEM|Appendix|Chapter|Part|PART|Note|NOTE)\s+\w+\.?)\s+\S"
)
_NO_HEADING_END = re.compile(r"[,;]\Z|[^.\d]\.\Z")
_BULLET = re.compile(r"[•●▪■◦‣○□–—*-]\s")
_LONGEST, _LONGEST_BOLD, _MOST_LINES = 160, 110, 3
_LEAST_LETTERS = 0.5
_LARGER, _LARGER_STILL = 1.09, 1.4
_MOST_CAPITAL_WORDS = 8
_SLANTED_TITLE = re.compile(r"[A-Z][^.:;,\d]{3,59}\Z")  # excludes dates, names with degrees and sentences
_LONGEST_PARTICLE = 3
_LEAST_TITLE_SHARE = 0.75
Outline = dict[int, dict[str, int]]
LOWEST_LEVEL = 6
_NUMBER = re.compile(r"\A(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
_DIVISION_RANKS = {"item": 2, "article": 2, "note": 1, "section": 1, "schedule": 1}  # others: 3
_SIZE_STEPS = 10  # sizes are compared in tenths of the body size
_LEAST_PAGES = 4  # of a document whose first page may be a title page
_COVER_SIZE = 12


def body_size(pages: Sequence[PageText]) -> float:
    """Return the most frequent font size of the document's characters, in points."""
    sizes = Counter[float]()
    for page in pages:
        for line in page.lines:
            sizes[round(line.size * 2) / 2] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], size)) if sizes else 10.0


def mark_headings(blocks: Sequence[Block], body: float, outline: Outline) -> None:
    """Mark the text blocks that are in the outline or distinct in size or weight as headings, in place.

    `outline` has the level of each entry by page and normalised title. For levels see `heading_levels`.
    """
    texts = [block for block in blocks if block.kind == "text" and not is_footnote(block)]
    mostly_bold = sum(block.bold for block in texts) > len(texts) / 2
    entries = {id(block): _outline_level(block, outline) for block in texts}
    headings = [block for block in texts if entries[id(block)] or _is_heading(block, body, mostly_bold)]
    pages = max((block.page for block in blocks), default=1)
    for block, level in zip(headings, heading_levels(headings, entries, body, pages), strict=True):
        block.kind, block.level = "heading", level
        block.text = block.text.replace("\n", " ")


def outline_key(title: str) -> str:
    """Return the normalised title by which outline entries are matched: lower-case letters and digits only.

    >>> outline_key("3.1  Machine Room")
    '31machineroom'
    """
    return "".join(character for character in title.lower() if character.isalnum())


def _outline_level(block: Block, outline: Outline) -> int:
    if len(block.text) > 2 * _LONGEST:
        return 0
    return outline.get(block.page, {}).get(outline_key(block.text), 0)


def _is_heading(block: Block, body: float, mostly_bold: bool) -> bool:
    """Return the result of layout analysis if available, else whether the block looks like a heading."""
    stated = block.metadata.get("_is_heading")
    return _looks_like_heading(block, body, mostly_bold) if stated is None else stated


def _looks_like_heading(block: Block, body: float, mostly_bold: bool) -> bool:
    text = block.text
    letters = sum(map(str.isalpha, text)) if len(text) <= _LONGEST else 0
    if block.lines > _MOST_LINES or len(text) > _LONGEST or letters < max(3, _LEAST_LETTERS * len(text)):
        return False
    if block.is_caption or _BULLET.match(text) or (_NO_HEADING_END.search(text) and not _NUMBERED.match(text)):
        return False
    if text[0].islower() and block.size < _LARGER_STILL * body:
        return False  # line sizes are noisy in the text layer of a scan
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


def heading_levels(headings: Sequence[Block], outline_levels: Mapping[int, int], body: float, pages: int) -> list[int]:
    """Return the level, from 1 (highest) to 6, of each of the `headings` of a document in reading order.

    `outline_levels` has the outline level by id(block), 0 for headings that are not in the outline. Those are nested
    below the nearest preceding heading of higher rank: parts rank above items, items above notes, and these above all
    but larger headings; numbered headings rank by depth; otherwise size, weight, capitals and slant decide. A size used
    only on the first page of a longer document is that of a title, below which nothing is nested.
    """
    ranks = [_rank_of(block, body) for block in headings]
    later = {rank.style for block, rank in zip(headings, ranks, strict=True) if block.page > 1}
    open_ranks: list[tuple[_HeadingRank, int]] = []
    levels: list[int] = []
    for block, rank in zip(headings, ranks, strict=True):
        named = outline_levels.get(id(block), 0)
        while open_ranks and not _is_nested_below(rank, named, open_ranks[-1]):
            open_ranks.pop()
        level = named or (open_ranks[-1][1] + 1 if open_ranks else 1)
        if named or not _is_cover(block, rank, later, pages):
            open_ranks.append((rank, level))
        levels.append(min(level, LOWEST_LEVEL))
    return levels


@dataclass(frozen=True, slots=True)
class _HeadingRank:
    """The features that determine a heading's level; `division` and `depth` are 0 if not applicable."""

    division: int
    depth: int
    style: tuple[int, bool, bool, bool]  # size in tenths of the body's, bold, capitals, upright


def _rank_of(block: Block, body: float) -> _HeadingRank:
    division, number = DIVISION.match(block.text), _NUMBER.match(block.text)
    rank = _DIVISION_RANKS.get(division[1].lower(), 3) if division else 0
    depth = number[1].count(".") + 1 if number else 0
    size = round(_SIZE_STEPS * block.size / body)
    return _HeadingRank(rank, depth, (size, block.bold, block.text.isupper(), not block.italic))


def _is_nested_below(rank: _HeadingRank, named: int, above: tuple[_HeadingRank, int]) -> bool:
    other, level = above
    if named:
        return level < named
    if rank.division and other.division:
        return other.division > rank.division
    if rank.division or other.division:
        larger = rank.style[0] > other.style[0]
        return not larger if other.division else rank.style[0] < other.style[0]
    if rank.depth and other.depth and rank.depth != other.depth:
        return other.depth < rank.depth or other.style > rank.style
    return other.style > rank.style


def _is_cover(block: Block, rank: _HeadingRank, later: set[tuple[int, bool, bool, bool]], pages: int) -> bool:
    large = rank.style[0] >= _COVER_SIZE and rank.style not in later
    return pages >= _LEAST_PAGES and block.page == 1 and large
