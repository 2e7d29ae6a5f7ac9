"""Named sets of values beneath a file's own: published systems to compare with, and starting points."""

from __future__ import annotations

from typing import Any

PROFILES: dict[str, dict[str, Any]] = {
    # KohakuRAG's documented defaults: pages as sections, planner order, no consensus, no retry.
    "kohaku": {
        "documents.sections": "pages",
        "tree.resegment": False,
        "tree.sentence_splitter": "regex",
        "tree.id_scope": "document",
        "embedding.model": "jinaai/jina-embeddings-v3",
        "planner.max_queries": 3,
        "retrieval.top_k": 5,
        "retrieval.deduplicate": False,
        "retrieval.rerank": "none",
        "retrieval.fusion": "append",
        "retrieval.bm25_top_k": 0,
        "retrieval.evidence_share": 0.0,
        "retrieval.document_weight": 0.0,
        "retrieval.planned_query_weight": 1.0,
        "retrieval.parent_limit": "document",
        "retrieval.snippet_dedup": "none",
        "llm.provider": "openrouter",
        "llm.model": "openai/gpt-4o-mini",
        "llm.max_concurrent": 32,
        "answer.context_first": False,
        "answer.max_retries": 0,
    },
    # Everything on one's own machine: a larger embedding model and any OpenAI-compatible server at home.
    "local": {
        "tree.id_base": 0,
        "embedding.model": "jinaai/jina-embeddings-v4",
        "embedding.weighting": "chars",
        "planner.max_queries": 3,
        "retrieval.top_k": 8,
        "retrieval.top_k_final": 10,
        "retrieval.rerank": "combined",
        "retrieval.threshold": 0.25,
        "llm.provider": "openai",
        "llm.model": "Qwen/Qwen2.5-7B-Instruct",
        "llm.base_url": "http://127.0.0.1:8000/v1",
        "llm.max_concurrent": 5,
        "answer.max_retries": 3,
    },
    # Lexical and semantic channels by weighted reciprocal ranks, few passages in the end.
    "triple_hybrid": {
        "retrieval.top_k": 100,
        "retrieval.top_k_final": 5,
        "retrieval.fusion": "weighted_rrf",
        "retrieval.rrf_k": 60,
        "retrieval.dense_weight": 0.8,
        "retrieval.lexical_weight": 0.7,
        "llm.provider": "openrouter",
    },
    # A conversational assistant's retrieval: equal-weight reciprocal ranks and a similarity floor.
    "assistant": {
        "planner.max_queries": 1,
        "retrieval.top_k": 15,
        "retrieval.top_k_final": 10,
        "retrieval.fusion": "rrf",
        "retrieval.rrf_k": 30,
        "retrieval.threshold": 0.40,
        "llm.provider": "openrouter",
        "llm.call_retries": 3,
        "llm.retry_base_s": 1.0,
    },
    # The configuration of the winning WattBot 2025 entries, text only.
    "wattbot": {
        "embedding.model": "jinaai/jina-embeddings-v4",
        "embedding.dim": 512,
        "embedding.paragraph_mode": "both",
        "planner.max_queries": 4,
        "retrieval.top_k": 16,
        "retrieval.top_k_final": 32,
        "retrieval.rerank": "combined",
        "retrieval.fusion": "append",
        "retrieval.bm25_top_k": 4,
        "retrieval.evidence_share": 0.0,
        "retrieval.document_weight": 0.0,
        "retrieval.planned_query_weight": 1.0,
        "retrieval.parent_limit": "document",
        "llm.provider": "openrouter",
        "llm.model": "openai/gpt-oss-120b",
        "llm.max_concurrent": 32,
        "answer.context_first": True,
        "answer.max_retries": 2,
        "ensemble.runs": 5,
        "ensemble.ref_mode": "answer_priority",
        "ensemble.ignore_blank": True,
    },
    # Least work: one dense search per question.
    "fast": {
        "planner.kind": "rule",
        "planner.max_queries": 1,
        "retrieval.top_k": 5,
        "retrieval.fusion": "append",
        "retrieval.bm25_top_k": 0,
        "answer.max_retries": 0,
    },
}
