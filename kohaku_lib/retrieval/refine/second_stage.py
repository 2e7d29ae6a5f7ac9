"""The second of two stages: a reranker that reads more than the context will hold."""

from __future__ import annotations

from dataclasses import replace

from kohaku_lib.retrieval.refine.dependencies import RefineDependencies
from kohaku_lib.settings import RetrievalSettings


def reranked_from_more(
    settings: RetrievalSettings, dependencies: RefineDependencies
) -> tuple[RetrievalSettings, RefineDependencies]:
    """Return both so that the rerankers read `rerank.top_n` results and leave `retrieval.top_k_final` of them.

    Without a reranker, or without that limit, nothing changes.
    """
    least, own = settings.top_k_final, dependencies.settings
    if not (least and dependencies.rerankers):
        return settings, dependencies
    left = least if own.top_k is None else min(least, own.top_k)
    more = settings.model_copy(update={"top_k_final": max(least, own.top_n)})
    return more, replace(dependencies, settings=own.model_copy(update={"top_k": left}))
