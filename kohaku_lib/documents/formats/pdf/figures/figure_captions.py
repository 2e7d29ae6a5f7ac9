"""Find the caption of a figure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.text.page_text import Box

_FARTHEST_PT = 60.0
_ABOVE_IS_FARTHER_PT = 20.0
_LEAST_OVERLAP = 0.2
_LONGEST_LABEL = 14
_LONGEST_REST = 400
_LARGEST_STEP_PT = 8.0
_CAPTION = re.compile(
    r"(?i:fig(?:ure|\.|s\.)?|abb(?:ildung|\.)|chart|scheme|plate|exhibit|graph|diagram|illustration|photo)"
    r"\s*(?:[A-Za-z]?\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?|[IVX]{1,5})\b"
    r"\s*(?:[.:|)–—-]|(?<=\s)(?=[a-z])|(?<=\s)(?=[A-Z(\[“\"])|\Z)"
)
_LATE_SIGN = re.compile(r"[^.]{0,60}[—:–]")


def is_figure_caption(text: str) -> bool:
    """Return whether `text` begins like a figure caption.

    >>> [is_figure_caption(text) for text in ("FIGURE 1 — Growth", "Fig. 2.", "Chart 4 Sales", "Figure 3 shows that")]
    [True, True, True, False]
    """
    label = _CAPTION.match(text)
    return label is not None and text[0].isupper() and not _continues_sentence(text[label.end() :])


def caption_distance(figure: Box, caption: Box) -> float | None:
    """Return the distance of a caption from a figure in points, with a penalty above it; None if too far."""
    if min(figure.x1, caption.x1) - max(figure.x0, caption.x0) < _LEAST_OVERLAP * min(figure.width, caption.width):
        return None
    distances: list[float] = []
    if caption.y0 >= figure.y1 - 0.3 * figure.height:
        distances.append(caption.y0 - figure.y1)
    if caption.y1 <= figure.y0 + 0.1 * figure.height + 5:
        distances.append(max(0.0, figure.y0 - caption.y1) + _ABOVE_IS_FARTHER_PT)
    nearest = min(distances, default=_FARTHEST_PT + 1)
    return max(nearest, 0.0) if nearest <= _FARTHEST_PT else None


def nearest_caption(figure: Box, captions: Sequence[Box]) -> int | None:
    """Return the index of the caption nearest to a figure, None if none is adjacent."""
    distances = {index: caption_distance(figure, caption) for index, caption in enumerate(captions)}
    near = {index: distance for index, distance in distances.items() if distance is not None}
    return min(near, key=lambda index: (near[index], index)) if near else None


def is_adjacent(figure: Box, caption: Box) -> bool:
    """Return whether a caption is close enough to belong to a figure."""
    return caption_distance(figure, caption) is not None


def caption_with_text(blocks: Sequence[Block], index: int) -> tuple[str, tuple[int, ...]]:
    """Return the caption that begins with the block at `index`, and the indices of its blocks.

    If that block is only a label ("Figure 3"), the short text directly below it is part of the caption.
    """
    label = blocks[index]
    follower = blocks[index + 1] if index + 1 < len(blocks) else None
    if follower is None or len(label.text) > _LONGEST_LABEL or follower.kind not in {"text", "heading"}:
        return label.text, (index,)
    step = follower.box.y0 - label.box.y1
    if len(follower.text) > _LONGEST_REST or not -2 <= step <= _LARGEST_STEP_PT or is_figure_caption(follower.text):
        return label.text, (index,)
    return f"{label.text} {follower.text}", (index, index + 1)


def _continues_sentence(rest: str) -> bool:
    """Return whether a label is the subject of a sentence, not followed by a title or "to page 3 — ..."."""
    return rest[:1].islower() and _LATE_SIGN.match(rest) is None
