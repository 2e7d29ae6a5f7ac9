"""The interface of rerankers: relevance scores of texts for a question, from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from kohaku_lib.errors import ModelError
from kohaku_lib.llm import ChatModel, Environment
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache


class Reranker(Protocol):
    """Scores pairs of a question and a text. Implementations are thread-safe."""

    @property
    def name(self) -> str:
        """The kind and model for the trace: "served:NAME", "chat:NAME", "local:NAME"."""
        ...

    def scores(self, query: str, texts: Sequence[str], question_id: str) -> Sequence[float | None]:
        """Return the score of each text, from 0 to 1, None if this pair cannot be scored.

        A score must not depend on the other texts.

        Raises:
            ModelError: There are no scores at all.

        """
        ...


@dataclass(frozen=True, slots=True)
class RerankDependencies:
    """The dependencies of rerankers; None if not available."""

    chat: ChatModel | None = None
    chat_model: str = ""  # the name of its model
    cache: RowCache | None = None  # of scores
    device: str = "auto"
    environment: Environment | None = None
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)


@dataclass(frozen=True, slots=True)
class RerankScores:
    """The score of each text and the name of the reranker; None if all failed, with the reasons."""

    scores: Sequence[float | None]
    by: str | None
    failures: tuple[str, ...] = ()


def rerank(rerankers: Sequence[Reranker], query: str, texts: Sequence[str], question_id: str = "") -> RerankScores:
    """Return the scores of `texts` by the first of `rerankers` that succeeds.

    If none does, every score is None: unknown scores are never replaced by a constant.
    """
    failures: list[str] = []
    for reranker in rerankers if texts else ():
        try:
            scores = reranker.scores(query, texts, question_id)
        except ModelError as error:
            failures.append(str(error))
            continue
        if any(score is not None for score in scores):
            return RerankScores(scores, reranker.name, tuple(failures))
        failures.append(f"{reranker.name} scored none of {len(texts)} snippets")
    return RerankScores([None] * len(texts), None, tuple(failures))
