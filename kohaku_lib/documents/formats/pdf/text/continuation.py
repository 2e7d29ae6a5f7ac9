"""Join paragraphs that continue in the next column or on the next page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.text.footnotes import is_footnote
from kohaku_lib.documents.formats.pdf.text.hyphens import Vocabulary, join_two

_OPEN_END = re.compile(r"[^\W_,]\Z|,\Z|[-‐\u00ad]\Z|[’')\]]\Z")
_LINKING = re.compile(
    r"\b(?:the|a|an|of|and|or|in|on|to|by|with|for|from|as|at|that|which|is|are|was|were|be|been|its|their|our|this|these)\Z"
)
_FARTHEST = 5
_SIZE_TOLERANCE = 0.08
_LEAST_CHARACTERS = 30


def join_continued(blocks: Sequence[Block], vocabulary: Vocabulary) -> list[Block]:
    """Return the blocks with paragraphs joined across column and page breaks.

    A paragraph continues if it ends within a sentence and a paragraph of the same size in another region begins with a
    lower-case letter, or if it ends with a hyphen or a linking word. Tables, images, captions, footnotes and smaller
    print between the two are kept in place. The joined block has the position of its first part; `page_starts` in its
    metadata lists [offset, page] for every later page.
    """
    whole_blocks = list(blocks)
    index = 0
    while index < len(whole_blocks):
        target = _continuation_index(whole_blocks, index)
        if target is None:
            index += 1
        else:
            _append_block(whole_blocks[index], whole_blocks.pop(target), vocabulary)
    return whole_blocks


def _continuation_index(blocks: Sequence[Block], index: int) -> int | None:
    block = blocks[index]
    if (
        block.kind != "text"
        or block.is_caption
        or len(block.text) < _LEAST_CHARACTERS
        or not _OPEN_END.search(block.text)
    ):
        return None
    for position in range(index + 1, min(index + 1 + _FARTHEST, len(blocks))):
        other = blocks[position]
        if _may_interrupt(block, other):
            continue
        return position if _continues_paragraph(block, other) else None
    return None


def _may_interrupt(block: Block, other: Block) -> bool:
    if other.kind in {"table", "image"} or other.is_caption or (is_footnote(other) and not is_footnote(block)):
        return True
    return other.kind == "text" and other.size < (1 - _SIZE_TOLERANCE) * block.size


def _continues_paragraph(block: Block, other: Block) -> bool:
    same_size = abs(other.size - block.size) <= _SIZE_TOLERANCE * block.size
    same_style = other.kind == "text" and same_size and is_footnote(block) == is_footnote(other)
    apart = other.region != block.metadata.get("_region", block.region)
    near = 0 <= other.page - block.metadata.get("_page", block.page) <= 1
    if not (same_style and apart and near):
        return False
    first = other.text[:1]
    linked = block.text.endswith(("-", "‐")) or _LINKING.search(block.text) is not None
    return first.islower() or (linked and first.isalnum())


def _append_block(block: Block, other: Block, vocabulary: Vocabulary) -> None:
    """Append `other` to `block`, in place; `_region` and `_page` record where the joined text ends."""
    joined = join_two(block.text, other.text, vocabulary)
    start = len(joined) - len(other.text)
    if other.page != block.metadata.get("_page", block.page):
        block.metadata.setdefault("page_starts", []).append([start, other.page])
    block.places.extend(replace(place, offset=place.offset + start) for place in other.places)
    block.text = joined
    block.metadata["_region"], block.metadata["_page"] = other.region, other.page
