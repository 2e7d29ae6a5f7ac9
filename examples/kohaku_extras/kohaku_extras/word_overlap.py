"""A reranker by the words of the question that a snippet has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from kohaku_lib.retrieval.rerank import RerankDependencies, RerankerKind
from kohaku_lib.settings import RerankSettings, Section


class WordOverlapOptions(Section):
    """The section rerank.options.word_overlap."""

    least_chars: Annotated[int, Field(ge=1)] = Field(default=4, description="shorter words of the question are ignored")


@dataclass(frozen=True)
class WordOverlap:
    """The share of the question's words, of at least `least_chars` characters, that a text has.

    >>> WordOverlap(4).scores("Is the water warm?", ["Warm water.", "The water."], "q1")
    [1.0, 0.5]
    """

    least_chars: int

    @property
    def name(self) -> str:
        """The name in the trace."""
        return f"word_overlap:{self.least_chars}"

    def scores(self, query: str, texts: Sequence[str], question_id: str) -> list[float]:
        """Return the score of each text, from 0 to 1; 0 where the question has no such word."""
        wanted = {word for word in _words(query) if len(word) >= self.least_chars}
        return [len(wanted & _words(text)) / max(len(wanted), 1) for text in texts]


def build(settings: RerankSettings, dependencies: RerankDependencies) -> WordOverlap:
    """Return the reranker of its own section."""
    return WordOverlap(dependencies.options.least_chars)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


WORD_OVERLAP = RerankerKind("word_overlap", build, in_auto=False, options=WordOverlapOptions)
