"""The length of contexts: matches, snippets, characters and tokens, without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from kohaku_lib.evaluation.token_counts import TokenCounter
from kohaku_lib.tables import RetrievalResult


@dataclass(frozen=True, slots=True)
class ContextLength:
    """The means of `questions` contexts, and the tokens of the longest one; `repeated_chars` is their text that recurs.

    A snippet's text recurs where an earlier snippet of the context contains it.
    """

    questions: int
    matches: float
    snippets: float
    chars: float
    repeated_chars: float
    tokens: float
    most_tokens: int


def context_length(results: Sequence[RetrievalResult], counter: TokenCounter) -> ContextLength:
    """Return the length of the contexts of `results`, by the tokens of `counter`; zeros without any."""
    if not results:
        return ContextLength(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0)
    texts = [[snippet.text for snippet in result.snippets] for result in results]
    tokens = [int(counter.counts(own).sum()) if own else 0 for own in texts]
    return ContextLength(
        len(results),
        fmean(len(result.matches) for result in results),
        fmean(map(len, texts)),
        fmean(sum(map(len, own)) for own in texts),
        fmean(map(repeated_chars, texts)),
        fmean(tokens),
        max(tokens),
    )


def repeated_chars(texts: Sequence[str]) -> int:
    """Return the characters of `texts` that stand in an earlier text as a whole or contain one.

    >>> repeated_chars(["one two", "two", "three", "three four"])
    8
    """
    repeated = 0
    for place, text in enumerate(texts):
        within = any(text in earlier for earlier in texts[:place])
        repeated += len(text) if within else max((len(one) for one in texts[:place] if one in text), default=0)
    return repeated
