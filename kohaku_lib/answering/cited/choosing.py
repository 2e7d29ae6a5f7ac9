"""The choice among several replies to one question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from kohaku_lib.answering.cited.grounding import grounding, judge_claims
from kohaku_lib.answering.coverage.content_words import content_stems

Vote = Literal["consensus", "confidence", "best_of_n", "synthesis"]


def chosen_reply(contents: Sequence[str], sources: Sequence[str], vote: Vote = "consensus") -> int:
    """Return the place of the reply to show, the first of equals; `sources` are the texts that the replies cite.

    "consensus" takes the reply that shares most words with the others, "best_of_n" the one with the largest share of
    supported claims, and "confidence" weighs each reply's words by that share. "synthesis", which is a further call,
    falls back to consensus.

    >>> contents = ["It was 4 kg.", "It was 5 kg in all.", "It was 5 kg."]
    >>> [chosen_reply(contents, ["It weighed 4 kg: it was light."], vote) for vote in ("consensus", "best_of_n")]
    [1, 0]
    """
    shares = [grounding(judge_claims(content, sources)) for content in contents]
    if vote == "best_of_n":
        return max(range(len(contents)), key=lambda place: (shares[place], -place))
    weights = shares if vote == "confidence" else [1.0] * len(contents)
    words = [set(content_stems(content)) for content in contents]
    sums: dict[str, float] = {}
    for own, weight in zip(words, weights, strict=True):
        for word in own:
            sums[word] = sums.get(word, 0.0) + weight
    agreed = [_mean_of_others(own, weight, sums) for own, weight in zip(words, weights, strict=True)]
    return max(range(len(contents)), key=lambda place: (agreed[place], -place))


def _mean_of_others(own: set[str], weight: float, sums: Mapping[str, float]) -> float:
    """Return the mean weight of the other replies that have a word of `own`."""
    return sum(sums[word] - weight for word in own) / len(own) if own else 0.0
