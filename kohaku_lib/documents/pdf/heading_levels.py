"""The levels of headings: from the outline, from their numbers, from size and weight."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kohaku_lib.documents.pdf.blocks import DIVISION, Block

LOWEST_LEVEL = 6
_NUMBER = re.compile(r"\A(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
_DIVISION_RANKS = {"item": 2, "article": 2, "note": 1, "section": 1, "schedule": 1}  # others: 3
_SIZE_STEPS = 10  # sizes differ where they differ by a tenth of the body's
_LEAST_PAGES = 4  # of a document whose first page may have a title apart from the text
_COVER_SIZE = 12


def heading_levels(headings: Sequence[Block], outline_levels: Mapping[int, int], body: float, pages: int) -> list[int]:
    """Return the level, from 1 (the highest) to 6, of each of the `headings` of a document in reading order.

    `outline_levels` has the level of those that the outline names by id(block), 0 for the others. Elsewhere a
    heading stands beneath the nearest one before it that outranks it: parts outrank items, items notes, and these
    all but larger headings; numbers go by their depth; else size, weight, capitals and slant decide. A size that
    only the first page of a longer document has is that of a title, which nothing stands beneath.
    """
    ranks = [_rank(block, body) for block in headings]
    later = {rank.style for block, rank in zip(headings, ranks, strict=True) if block.page > 1}
    open_ranks: list[tuple[_Rank, int]] = []
    levels: list[int] = []
    for block, rank in zip(headings, ranks, strict=True):
        named = outline_levels.get(id(block), 0)
        while open_ranks and not _is_beneath(rank, named, open_ranks[-1]):
            open_ranks.pop()
        level = named or (open_ranks[-1][1] + 1 if open_ranks else 1)
        if named or not _is_cover(block, rank, later, pages):
            open_ranks.append((rank, level))
        levels.append(min(level, LOWEST_LEVEL))
    return levels


@dataclass(frozen=True, slots=True)
class _Rank:
    """What a heading's level goes by; `division` and `depth` are 0 where it is none or has no number."""

    division: int
    depth: int
    style: tuple[int, bool, bool, bool]  # size in tenths of the body's, bold, capitals, upright


def _rank(block: Block, body: float) -> _Rank:
    division, number = DIVISION.match(block.text), _NUMBER.match(block.text)
    rank = _DIVISION_RANKS.get(division[1].lower(), 3) if division else 0
    depth = number[1].count(".") + 1 if number else 0
    size = round(_SIZE_STEPS * block.size / body)
    return _Rank(rank, depth, (size, block.bold, block.text.isupper(), not block.italic))


def _is_beneath(rank: _Rank, named: int, above: tuple[_Rank, int]) -> bool:
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


def _is_cover(block: Block, rank: _Rank, later: set[tuple[int, bool, bool, bool]], pages: int) -> bool:
    large = rank.style[0] >= _COVER_SIZE and rank.style not in later
    return pages >= _LEAST_PAGES and block.page == 1 and large
