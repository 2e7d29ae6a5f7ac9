"""How near the question's terms stand to a span of a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kohaku_lib.answering.reader.evidence import Sentence

Span = tuple[int, int]


def nearness(stem_to_weight: dict[str, float], sentence: Sentence, span: Span, rivals: Sequence[Span] = ()) -> float:
    """Return the question's weight found around `span`, each stem discounted by its distance.

    `rivals` are other spans of the same kind in the sentence. A stem between two of them belongs to the nearest
    and counts little for the others; one before the first or after the last is shared by all.
    """
    chain = sorted(_extent(sentence, rival) for rival in {span, *rivals})
    mine = _extent(sentence, span)
    stem_to_near: dict[str, float] = {}
    for token, place in zip(sentence.tokens, sentence.places, strict=True):
        weight = stem_to_weight.get(token.stem)
        if weight is None or span[0] <= token.start < span[1]:
            continue
        near = weight * _claim_on(place, mine, chain)
        stem_to_near[token.stem] = max(stem_to_near.get(token.stem, 0.0), near)
    return sum(stem_to_near.values())


_REACH = 7.0  # words over which nearness falls to 1/e
_SHARED = 0.3  # of the extra distance counts where all rivals share a word
_LOST = 0.4  # what a word counts for a span that is not the nearest


def _claim_on(place: float, mine: tuple[float, float], chain: list[tuple[float, float]]) -> float:
    distance = _distance(place, mine)
    least = min(_distance(place, extent) for extent in chain)
    outside = place < chain[0][0] or place > chain[-1][1]
    if outside:
        return math.exp(-(least + _SHARED * (distance - least)) / _REACH)
    return math.exp(-distance / _REACH) * (1.0 if distance <= least else _LOST)


def _extent(sentence: Sentence, span: Span) -> tuple[float, float]:
    inside = [
        place for token, place in zip(sentence.tokens, sentence.places, strict=True) if span[0] <= token.start < span[1]
    ]
    return (inside[0], inside[-1]) if inside else (0.0, 0.0)


def _distance(place: float, extent: tuple[float, float]) -> float:
    return max(extent[0] - place, place - extent[1], 0.0)
