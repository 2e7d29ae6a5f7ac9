"""The rerankers that `rerank.kind` names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kohaku_lib.registry import Registry, lazy

if TYPE_CHECKING:
    from kohaku_lib.retrieval.rerank.interface import RerankDependencies, Reranker
    from kohaku_lib.settings import RerankSettings, Settings


@dataclass(frozen=True, slots=True)
class RerankerKind:
    """A way to score how well a snippet fits a question.

    `settings_keys` are the settings that its scores depend on, by dotted name; those of the chat model are added where
    `uses_chat`. Where the text of a setting is not what scores depend on, `identities` gives what does, by key.
    """

    name: str
    build: Callable[[RerankSettings, RerankDependencies], Reranker]
    settings_keys: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()  # settings that must be set
    uses_chat: bool = False
    prompts: tuple[str, ...] = ()  # that it sends, by name
    in_auto: bool = True  # rerank.kind = "auto" tries it where it is set up
    weight: float = 1.0  # share of its score in the order of snippets, unless rerank.weight is set
    identities: Mapping[str, Callable[[Settings], Any]] = field(default_factory=dict)


RERANKERS: Registry[RerankerKind] = Registry("reranker")

RERANKERS.register(
    RerankerKind(
        "served",
        lazy("kohaku_lib.retrieval.rerank.served:build_served"),
        settings_keys=("rerank.served_model", "rerank.logits"),
        needs=("rerank.base_url", "rerank.served_model"),
    )
)
RERANKERS.register(
    RerankerKind(
        "chat",
        lazy("kohaku_lib.retrieval.rerank.chat_reranker:build_chat_reranker"),
        uses_chat=True,
        prompts=("snippet_yes_no",),
    )
)
RERANKERS.register(
    RerankerKind(
        "local",
        lazy("kohaku_lib.retrieval.rerank.cross_encoder:build_cross_encoder"),
        settings_keys=("rerank.local_model",),
        needs=("rerank.local_model",),
        identities={"rerank.local_model": lazy("kohaku_lib.retrieval.rerank.cross_encoder:model_content")},
    )
)
RERANKERS.register(
    RerankerKind(
        "embedding_similarity",
        lazy("kohaku_lib.retrieval.rerank.embedding_similarity:build_embedding_similarity"),
        in_auto=False,
        weight=0.35,  # chosen with its parts on SciFact, see benchmarks/refinement.py
    )
)
