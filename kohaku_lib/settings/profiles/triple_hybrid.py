"""The triple hybrid: lexical, semantic and graph channels by weighted reciprocal ranks, reranked."""

from __future__ import annotations

from kohaku_lib.settings.profiles.profile import Profile

TRIPLE_HYBRID = Profile(
    "triple_hybrid",
    "Three channels by weighted reciprocal ranks over parent and child chunks, reranked, refusing weak evidence.",
    {
        "documents.parser": ("auto", "D-PDF"),
        "documents.sections": ("headings", "TREE-6"),
        "documents.ocr": ("auto", "IMG-4"),
        "documents.tiling": ("always", "IMG-4"),
        "documents.tile_threshold": (2048, "D-TILE"),
        "documents.tile_size": (1024, "29"),
        "documents.tile_overlap": (128, "29"),
        "documents.max_tiles": (16, "IMG-4"),
        "documents.merge_strategy": ("fuzzy", "29"),
        "documents.fuzzy_ratio": (0.8, "D-TILE"),
        "tree.view": ("parent_child", "D-CHUNK"),
        "tree.parent_tokens": (1000, "29"),
        "tree.child_tokens": (200, "29"),
        "tree.child_overlap_tokens": (50, "29"),
        "embedding.model": ("openai:text-embedding-3-large", "29"),
        "embedding.dim": (1024, "29"),
        "lexical.stemmer": ("auto", "LEX-2"),
        "graph.enabled": (True, "29"),
        "graph.extractor": ("auto", "ENT-1"),
        "planner.max_queries": (1, "PLAN-2"),
        "planner.style": ("channels", "PLAN-2"),
        "retrieval.top_k": (100, "RET-9"),
        "retrieval.top_k_final": (20, "RET-9"),
        "retrieval.fusion": ("weighted_rrf", "D-RRF"),
        "retrieval.rrf_k": (60, "D-RRF"),
        "retrieval.dense_weight": (0.8, "29"),
        "retrieval.lexical_weight": (0.7, "29"),
        "retrieval.graph_weight": (1.0, "29"),
        "retrieval.graph_hops": (1, "D-HOPS"),
        "retrieval.parent_limit": ("paragraph", "CTX-5"),
        "retrieval.snippet_dedup": ("tree", "CTX-5"),
        "rerank.kind": ("auto", "RR-1"),
        "rerank.top_n": (20, "RET-9"),
        "rerank.safety_threshold": (0.6, "RR-2"),
        "rerank.denoise_alpha": (0.5, "D-ALPHA"),
        "llm.provider": ("openrouter", "29"),
        "llm.model": ("openai/gpt-4o-mini", "29"),
    },
)
