"""The stretch of a sentence that speaks of a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kohaku_lib.answering.reader.text import Token


def clause_about(tokens: Sequence[Token], text: str, stem_to_weight: Mapping[str, float], margin: int = 4) -> str:
    """Return the stretch of `text` that holds the most weight for its length, with `margin` words on either side.

    A word of the stretch that weighs nothing costs a little, so that an unrelated clause between two related ones
    is left out with the lighter of them. The whole text where it holds no weight at all.

    >>> from kohaku_lib.answering.reader.text import tokens_of
    >>> text = "While the north must report its water use, nothing at all like this is asked of anybody in the south."
    >>> clause_about(tokens_of(text), text, {"report": 0.3, "water": 0.4, "north": 0.2, "south": 0.1}, margin=0)
    'north must report its water'
    """
    best, span = 0.0, None
    for first, token in enumerate(tokens):
        if token.stem not in stem_to_weight:
            continue
        held: set[str] = set()
        weight = 0.0
        for last in range(first, len(tokens)):
            stem = tokens[last].stem
            if stem not in stem_to_weight or stem in held:
                continue
            held.add(stem)
            weight += stem_to_weight[stem]
            worth = weight - _COST * (last - first + 1)
            if span is None or worth > best:
                best, span = worth, (first, last)
    if span is None:
        return text
    first, last = max(0, span[0] - margin), min(len(tokens) - 1, span[1] + margin)
    return text[tokens[first].start : tokens[last].end]


_COST = 0.012  # of the whole weight, for every word of the stretch
