"""Group the lines of a region into paragraphs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from kohaku_lib.documents.formats.pdf.blocks import CAPTION, DIVISION, Block, Place
from kohaku_lib.documents.formats.pdf.tables.rows import bounding_box
from kohaku_lib.documents.formats.pdf.text.hyphens import Vocabulary, join_with_offsets
from kohaku_lib.documents.formats.pdf.text.kept_breaks import kept_breaks
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line
from kohaku_lib.documents.formats.pdf.text.right_to_left_spans import is_right_to_left

_BULLET = re.compile(r"[•●▪■◦‣○□➢➤✓∙]\s?\S|[–—-]\s+\S")
_NUMBERED = re.compile(r"(?:\(?\d{1,2}[.)]|\(?[a-z]\)|\([ivx]{1,4}\)|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2}){1,3}\.?)\s+\S")
_TERMINAL = re.compile(r"[.!?:;…][\"”’')\]]*\Z")
_ENTRY_END = re.compile(r" \.\.\. ?[\dA-Zivxl–-]{1,7}\Z")  # of a table of contents
_LABEL = re.compile(r"[A-Z][A-Z /&-]{3,30}:\s")
_INDENT_EM = 0.8
_LEADING_EM = 1.15
_TITLE_SIZE, _CENTRED_EM = 1.1, 0.4
_SIZE_TOLERANCE = 0.12
_STEP_TOLERANCE = 1.3
_SHORT_SHARE = 0.12
_SHORTEST_LINE = 30  # characters; shorter lines above a caption are figure labels


@dataclass(frozen=True, slots=True)
class _RegionShape:
    """The typical geometry of a region: left and right edge, line spacing and font size."""

    left: float
    right: float
    leading: float
    size: float


def paragraph_blocks(lines: Sequence[Line], page: int, region: int, vocabulary: Vocabulary) -> list[Block]:
    """Return the paragraphs of the lines of one region, given in reading order.

    A new paragraph begins after a wide step, at an indent (or outdent if most lines are indented), at a list marker, at
    a change of size or weight, and after a short line that ends a sentence. Line breaks that belong to the text, such as
    those of an address, remain in it (see `kept_breaks`).
    """
    if not lines:
        return []
    upright = _mirror_lines(lines) if is_right_to_left("".join(line.text for line in lines)) else lines
    shape = _region_shape(upright)
    starts = [0]
    for index in range(1, len(upright)):
        if _begins_paragraph(upright[starts[-1] : index], upright[index], shape):
            starts.append(index)
    ends = [*starts[1:], len(lines)]
    breaks = [_kept_breaks(upright[start:end], shape) for start, end in zip(starts, ends, strict=True)]
    return [
        _paragraph_block(lines[start:end], kept, page, region, vocabulary)
        for start, end, kept in zip(starts, ends, breaks, strict=True)
    ]


def _mirror_lines(lines: Sequence[Line]) -> list[Line]:
    """Return the lines mirrored horizontally, so that right-to-left scripts have indents on the left."""
    return [replace(line, box=Box(-line.box.x1, line.box.y0, -line.box.x0, line.box.y1)) for line in lines]


def _ends_before_caption(text: str) -> bool:
    return _TERMINAL.search(text) is not None or len(text) < _SHORTEST_LINE


def _region_shape(lines: Sequence[Line]) -> _RegionShape:
    lefts = Counter(round(line.box.x0) for line in lines)
    steps = [
        after.box.y1 - before.box.y1
        for before, after in pairwise(lines)
        if abs(after.size - before.size) < 0.5 and 0 < after.box.y1 - before.box.y1 < 2.2 * after.size
    ]
    leading = median(steps) if steps else 1.2 * lines[0].size
    left = max(lefts, key=lambda x: (lefts[x], -x))
    return _RegionShape(left, max(line.box.x1 for line in lines), leading, median(line.size for line in lines))


def _begins_paragraph(group: Sequence[Line], line: Line, shape: _RegionShape) -> bool:
    previous = group[-1]
    step = line.box.y1 - previous.box.y1
    leading = max(shape.leading, _LEADING_EM * line.size) if line.size > 1.1 * shape.size else shape.leading
    return (
        step > _STEP_TOLERANCE * leading + 0.5
        or step < -2
        or _changes_size(previous, line)
        or line.raised
        or _ENTRY_END.search(previous.text) is not None
        or _changes_weight(group, line, shape)
        or _follows_slanted_title(group, line, shape)
        or (line.mixed and _LABEL.match(line.text) is not None and _TERMINAL.search(previous.text) is not None)
        or (line.bold and previous.bold and DIVISION.match(line.text) is not None)
        or _is_marked(group, line, shape)
        or (not _is_hanging(group, line) and _is_indented(previous, line, shape))
        or _follows_short_line(previous, line, shape)
        or (CAPTION.match(line.text) is not None and _ends_before_caption(previous.text))
    )


def _changes_size(previous: Line, line: Line) -> bool:
    # bold capitals of a label within the text may be smaller than it
    mixed = previous.mixed or line.mixed
    return not mixed and abs(line.size - previous.size) > _SIZE_TOLERANCE * max(line.size, previous.size)


def _is_hanging(group: Sequence[Line], line: Line) -> bool:
    """Return whether the line is aligned with the text of a list item."""
    first = group[0]
    is_item = _BULLET.match(first.text) or _NUMBERED.match(first.text)
    return is_item is not None and first.box.x0 - 1 <= line.box.x0 <= first.box.x0 + 4 * line.size


def _changes_weight(group: Sequence[Line], line: Line, shape: _RegionShape) -> bool:
    if group[-1].mixed or (line.mixed and line.text[:1].islower()):
        return False  # a label at the start of a paragraph, a reference within it
    if group[-1].bold == line.bold:
        return line.bold and group[-1].text.isupper() != line.text.isupper()
    if line.bold:
        return _is_short(group[-1], shape) or _TERMINAL.search(group[-1].text) is not None
    return all(member.bold for member in group) and _is_short(group[-1], shape)


def _follows_slanted_title(group: Sequence[Line], line: Line, shape: _RegionShape) -> bool:
    title = len(group) == 1 and group[0].italic and not line.italic and not line.text[:1].islower()
    return title and _is_short(group[0], shape) and _TERMINAL.search(group[0].text) is None


def _is_marked(group: Sequence[Line], line: Line, shape: _RegionShape) -> bool:
    if _BULLET.match(line.text):
        return True
    if not _NUMBERED.match(line.text):
        return False
    ended = _TERMINAL.search(group[-1].text) is not None or _is_short(group[-1], shape)
    return ended or (_NUMBERED.match(group[0].text) is not None and abs(group[0].box.x0 - line.box.x0) < 3)


def _is_indented(previous: Line, line: Line, shape: _RegionShape) -> bool:
    indent = _INDENT_EM * line.size
    if line.size > _TITLE_SIZE * shape.size and _are_centred(previous, line):
        return False
    previous_is_left = previous.box.x0 < shape.left + indent
    if line.box.x0 > shape.left + indent and previous_is_left:
        return previous.box.x0 > shape.left - indent
    return line.box.x0 < shape.left - indent and previous.box.x0 > shape.left - indent


def _are_centred(previous: Line, line: Line) -> bool:
    offset = (previous.box.x0 + previous.box.x1 - line.box.x0 - line.box.x1) / 2
    return abs(offset) < _CENTRED_EM * line.size


def _follows_short_line(previous: Line, line: Line, shape: _RegionShape) -> bool:
    ended = _TERMINAL.search(previous.text) is not None
    return ended and _is_short(previous, shape) and not line.text[:1].islower()


def _is_short(line: Line, shape: _RegionShape) -> bool:
    return line.box.x1 < shape.right - _SHORT_SHARE * (shape.right - shape.left)


def _kept_breaks(group: Sequence[Line], shape: _RegionShape) -> list[int]:
    is_title = all(line.bold or line.size > _TITLE_SIZE * shape.size for line in group)
    return [] if is_title else kept_breaks(group, shape.left, shape.right)


def _paragraph_block(
    group: Sequence[Line], breaks: Sequence[int], page: int, region: int, vocabulary: Vocabulary
) -> Block:
    box = bounding_box(group)
    text, offsets = "", []
    for start, end in pairwise([0, *breaks, len(group)]):
        piece, own_offsets = join_with_offsets([line.text for line in group[start:end]], vocabulary)
        text = f"{text}\n" if text else ""
        offsets += [len(text) + offset for offset in own_offsets]
        text += piece
    size = median(line.size for line in group)
    places = [Place(offset, page, line.box) for offset, line in zip(offsets, group, strict=True)]
    bold = all(line.bold for line in group)
    italic = all(line.italic for line in group)
    bold = bold and not group[-1].mixed
    raised = group[0].raised
    return Block("text", text, page, box, size, bold, len(group), region, places=places, italic=italic, raised=raised)
