"""Rerankers: relevance scores of snippets by a server, a chat model or a local model."""

from kohaku_lib.retrieval.rerank.building import asks_chat, build_rerankers, chosen_kinds, rerank_share
from kohaku_lib.retrieval.rerank.cached import RERANK_CACHE_SCHEMA
from kohaku_lib.retrieval.rerank.calibration import read_calibration, write_calibration
from kohaku_lib.retrieval.rerank.interface import (
    RERANKERS,
    RerankDependencies,
    Reranker,
    RerankerKind,
    RerankScores,
    rerank,
)

__all__ = [
    "RERANKERS",
    "RERANK_CACHE_SCHEMA",
    "RerankDependencies",
    "RerankScores",
    "Reranker",
    "RerankerKind",
    "asks_chat",
    "build_rerankers",
    "chosen_kinds",
    "read_calibration",
    "rerank",
    "rerank_share",
    "write_calibration",
]
