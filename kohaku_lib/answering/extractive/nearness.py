"""How near the question's terms stand to a span of a sentence."""

from __future__ import annotations

import math
import re
from bisect import bisect
from collections.abc import Sequence
from itertools import pairwise

from kohaku_lib.answering.extractive.evidence.evidence import Sentence

Span = tuple[int, int]


def nearness(stem_to_weight: dict[str, float], sentence: Sentence, span: Span, rivals: Sequence[Span] = ()) -> float:
    """Return the question's weight found around `span`, each stem discounted by its distance.

    `rivals` are other spans of the same kind in the sentence. Each has its own stretch, parted at the last joint before
    it; a stem in the stretch of another counts little. What stands before the first is said of all of them, and what
    follows it in its stretch is said in part of the later ones, which leave it out.
    """
    spans = sorted({span, *rivals})
    extents = [_extent(sentence, rival) for rival in spans]
    cuts = _cuts(sentence, spans)
    own = spans.index(span)
    last_end = extents[-1][1] + _told_apart(sentence, extents, spans, cuts)
    stem_to_near: dict[str, float] = {}
    for token, place in zip(sentence.tokens, sentence.places, strict=True):
        weight = stem_to_weight.get(token.stem)
        if weight is None or span[0] <= token.start < span[1]:
            continue
        stretch = bisect(cuts, token.start)
        near = weight * _claim_on(place, own, stretch, extents, last_end)
        stem_to_near[token.stem] = max(stem_to_near.get(token.stem, 0.0), near)
    return sum(stem_to_near.values())


_REACH = 7.0  # words over which nearness falls to 1/e
_SHARED = 0.3  # of the extra distance counts where all rivals share a word
_LEFT_OUT = 0.6  # what a word beside the first counts for a later one
_LOST = 0.4  # what a word counts for a span in whose stretch it does not stand
_JOINT = re.compile(r"[,;](?=\s)|\b(?:and|or|to|but|while|whereas|versus|vs|compared|than)\b|\)|\.\s|\|")


def _cuts(sentence: Sentence, spans: Sequence[Span]) -> list[int]:
    """Return where the stretch of each span but the first begins."""
    cuts = []
    for (_, end), (start, _) in pairwise(spans):
        joints = [match.end() for match in _JOINT.finditer(sentence.text, end, start)]
        cuts.append(joints[-1] if joints else start)
    return cuts


def _told_apart(
    sentence: Sentence, extents: Sequence[tuple[float, float]], spans: Sequence[Span], cuts: Sequence[int]
) -> float:
    """Return how far the words behind the first span reach that tell it apart; those behind the last reach as far."""
    if not cuts:
        return 0.0
    behind = [
        place
        for token, place in zip(sentence.tokens, sentence.places, strict=True)
        if spans[0][1] <= token.start < cuts[0]
    ]
    return behind[-1] - extents[0][1] if behind else 0.0


def _claim_on(place: float, own: int, stretch: int, extents: Sequence[tuple[float, float]], last_end: float) -> float:
    """Return what a word at `place` in the stretch `stretch` counts for the span `own`.

    What follows the last stretch, which ends at `last_end`, is said of all of them.
    """
    distance = _distance(place, extents[own])
    least = min(_distance(place, extent) for extent in extents)
    shared = math.exp(-(least + _SHARED * (distance - least)) / _REACH)
    if place < extents[0][0] or place > last_end:
        return shared
    if stretch == own:
        return math.exp(-distance / _REACH)
    return _LEFT_OUT * shared if stretch == 0 else _LOST * math.exp(-distance / _REACH)


def _extent(sentence: Sentence, span: Span) -> tuple[float, float]:
    inside = [
        place for token, place in zip(sentence.tokens, sentence.places, strict=True) if span[0] <= token.start < span[1]
    ]
    return (inside[0], inside[-1]) if inside else (0.0, 0.0)


def _distance(place: float, extent: tuple[float, float]) -> float:
    return max(extent[0] - place, place - extent[1], 0.0)
