"""Proximity of question terms to a span of a sentence."""

from __future__ import annotations

import math
import re
from bisect import bisect, bisect_left
from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter

from kohaku_lib.answering.extractive.evidence.evidence import Sentence

Span = tuple[int, int]


def nearness(stem_to_weight: dict[str, float], sentence: Sentence, span: Span, rivals: Sequence[Span] = ()) -> float:
    """Return the weight of the question's stems around `span`, each discounted by its distance.

    `rivals` are other spans of the same kind in the sentence. Each span has a segment, which begins at the last joint
    (comma, conjunction) before it; a stem in the segment of another span counts little. Text before the first segment
    applies to all spans; text after the first span in its segment applies partly to later spans, which often omit it.
    """
    if sentence.stems.isdisjoint(stem_to_weight):
        return 0.0
    spans = sorted({span, *rivals})
    extents = [_extent(sentence, rival) for rival in spans]
    cuts = _segment_starts(sentence, spans)
    own = spans.index(span)
    last_end = extents[-1][1] + _suffix_reach(sentence, extents, spans, cuts)
    stem_to_near: dict[str, float] = {}
    for token, place in zip(sentence.tokens, sentence.places, strict=True):
        weight = stem_to_weight.get(token.stem)
        if weight is None or span[0] <= token.start < span[1]:
            continue
        segment = bisect(cuts, token.start)
        near = weight * _proximity(place, own, segment, extents, last_end)
        stem_to_near[token.stem] = max(stem_to_near.get(token.stem, 0.0), near)
    return sum(stem_to_near.values())


_start = attrgetter("start")
_REACH = 7.0  # distance in words at which proximity falls to 1/e
_SHARED_DISTANCE = 0.3  # share of the extra distance that counts if all rivals share a word
_ELLIPSIS_WEIGHT = 0.6  # weight of a word in the first segment for a later span
_OTHER_SEGMENT_WEIGHT = 0.4  # weight of a word for a span in another segment
_JOINT = re.compile(r"[,;](?=\s)|\b(?:and|or|to|but|while|whereas|versus|vs|compared|than)\b|\)|\.\s|\|")


def _segment_starts(sentence: Sentence, spans: Sequence[Span]) -> list[int]:
    """Return the segment start of each span except the first."""
    cuts = []
    for (_, end), (start, _) in pairwise(spans):
        joints = [match.end() for match in _JOINT.finditer(sentence.text, end, start)]
        cuts.append(joints[-1] if joints else start)
    return cuts


def _suffix_reach(
    sentence: Sentence, extents: Sequence[tuple[float, float]], spans: Sequence[Span], cuts: Sequence[int]
) -> float:
    """Return how far the distinguishing words after the first span extend; those after the last are assumed to extend as far."""
    if not cuts:
        return 0.0
    behind = [
        place
        for token, place in zip(sentence.tokens, sentence.places, strict=True)
        if spans[0][1] <= token.start < cuts[0]
    ]
    return behind[-1] - extents[0][1] if behind else 0.0


def _proximity(place: float, own: int, segment: int, extents: Sequence[tuple[float, float]], last_end: float) -> float:
    """Return the share of a word at `place` in segment `segment` that counts for span `own`.

    Text after the last segment, which ends at `last_end`, applies to all spans.
    """
    distance = _distance(place, extents[own])
    least = min(_distance(place, extent) for extent in extents)
    shared = math.exp(-(least + _SHARED_DISTANCE * (distance - least)) / _REACH)
    if place < extents[0][0] or place > last_end:
        return shared
    if segment == own:
        return math.exp(-distance / _REACH)
    return _ELLIPSIS_WEIGHT * shared if segment == 0 else _OTHER_SEGMENT_WEIGHT * math.exp(-distance / _REACH)


def _extent(sentence: Sentence, span: Span) -> tuple[float, float]:
    first, after = (bisect_left(sentence.tokens, offset, key=_start) for offset in span)
    return (sentence.places[first], sentence.places[after - 1]) if first < after else (0.0, 0.0)


def _distance(place: float, extent: tuple[float, float]) -> float:
    return max(extent[0] - place, place - extent[1], 0.0)
