"""The interface of rerankers: relevance scores of texts for a question, from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from kohaku_lib.errors import ModelError
from kohaku_lib.llm import ChatModel, Environment
from kohaku_lib.registry import Registry
from kohaku_lib.settings import EmbeddingSettings, RerankSettings, Section, Settings, leaf_fields
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
    options: Any = None  # the section of the kind that is built


@dataclass(frozen=True, slots=True)
class RerankerKind:
    """A way to score how well a snippet fits a question, which `rerank.kind` names.

    `settings_keys` are the settings that its scores depend on, by dotted name; those of the chat model are added where
    `uses_chat`, and those of its own section `rerank.options.NAME`, whose model is `options` and has a default for each.
    Where the text of a setting is not what scores depend on, `identities` gives what does, by key.
    """

    name: str
    build: Callable[[RerankSettings, RerankDependencies], Reranker]
    settings_keys: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()  # settings of rerank that must be set, by dotted name
    uses_chat: bool = False
    prompts: tuple[str, ...] = ()  # that it sends, by name
    in_auto: bool = True  # rerank.kind = "auto" tries it where it is set up
    weight: float = 1.0  # share of its score in the order of snippets, unless rerank.weight is set
    identities: Mapping[str, Callable[[Settings], Any]] = field(default_factory=dict)
    options: type[Section] | None = None
    order: int = 100  # in which kinds are listed and tried

    def __post_init__(self) -> None:
        """Add the keys of its own section to those that its scores depend on."""
        own = leaf_fields(self.options) if self.options is not None else ()
        keys = (*self.settings_keys, *(f"rerank.options.{self.name}.{key}" for key in own))
        object.__setattr__(self, "settings_keys", keys)


RERANKERS: Registry[RerankerKind] = Registry("reranker", folder=__package__, entry_points="kohaku.rerankers")


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
