"""The fork of KohakuRAG for local models: as it is described, and as its code and configurations run."""

from __future__ import annotations

from typing import Any

from kohaku_lib.settings.profiles.profile import Profile

OF_BOTH: dict[str, tuple[Any, str]] = {
    "documents.sections": ("pages", "PAR-5"),
    "images.captions": ("page", "PAR-5"),
    "tree.view": ("hierarchy", "D-CHUNK"),
    "tree.resegment": (False, "PAR-5"),
    "tree.parent_texts": ("payload", "TREE-3"),
    "tree.sentence_splitter": ("regex", "PAR-1"),
    "embedding.model": ("jinaai/jina-embeddings-v4", "D-EMB"),
    "embedding.dim": (None, "29"),
    "embedding.paragraph_mode": ("averaged", "29"),
    "embedding.weighting": ("chars", "D-AVG"),
    "retrieval.top_k": (8, "D-K"),
    "retrieval.top_k_final": (10, "D-KF"),
    "retrieval.paragraph_search_mode": ("averaged", "29"),
    "retrieval.deduplicate": (True, "D-DEDUP"),
    "retrieval.consensus": ("combined", "D-DEDUP"),
    "retrieval.kinds": ("both", "RET-1"),
    "retrieval.candidates": ("top_k_of_all", "RET-1"),
    "retrieval.fusion": ("append", "RET-7"),
    "retrieval.bm25_top_k": (0, "29"),
    "retrieval.parent_depth": (1, "29"),
    "retrieval.parent_limit": ("document", "CTX-1"),
    "retrieval.child_depth": (0, "29"),
    "retrieval.snippet_dedup": ("none", "CTX-3"),
    "llm.provider": ("local", "LLM-1"),
    "answer.by": ("model", "LLM-1"),
    "llm.model": ("Qwen/Qwen2.5-7B-Instruct", "28.4"),
    "llm.dtype": ("4bit", "29"),
    "llm.max_tokens": (512, "29"),
    "answer.temperature": (0.2, "29"),
    "answer.deepening": ("linear", "D-RETRY"),
    "answer.overflow": ("minus_two", "D-OVF"),
    "ensemble.min_runs": (2, "ENS-1"),
    "ensemble.ref_mode": ("union", "D-AP"),
    "ensemble.ignore_blank": (True, "D-BLANK"),
}

LOCAL = Profile(
    "local",
    "The fork of KohakuRAG for local models as its architecture is described.",
    OF_BOTH
    | {
        "tree.id_base": (0, "D-ID0"),
        "tree.id_scope": ("parent", "D-IDCTR"),
        "planner.max_queries": (3, "D-QN"),
        "retrieval.dedup_first": (False, "D-ORDER"),
        "retrieval.threshold": (0.25, "RET-3"),
        "llm.max_concurrent": (5, "D-CONC"),
        "answer.context_first": (False, "29"),
        "answer.max_retries": (3, "D-MAXR"),
    },
)

FORK = Profile(
    "fork",
    "The same fork as its code and the configurations of its runs have it.",
    OF_BOTH
    | {
        "tree.id_base": (1, "D-ID0"),
        "tree.id_scope": ("document", "D-IDCTR"),
        "planner.max_queries": (4, "D-QN"),
        "retrieval.dedup_first": (True, "RET-4"),
        "retrieval.threshold": (-1.0, "RET-3"),
        "llm.max_concurrent": (10, "D-CONC"),
        "answer.context_first": (True, "28.4"),
        "answer.max_retries": (2, "D-MAXR"),
    },
)
