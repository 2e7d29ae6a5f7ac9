"""Least work per question: one dense search of the index that the defaults build."""

from __future__ import annotations

from typing import Any

from kohaku_lib.settings.profiles.profile import Profile

_INDEX: dict[str, Any] = {
    "documents.parser": "auto",
    "documents.sections": "headings",
    "documents.headers_footers": "remove",
    "documents.hidden_cells": "remove",
    "documents.ocr": "auto",
    "documents.tiling": "auto",
    "images.captions": "page",
    "tree.resegment": True,
    "tree.sentence_splitter": "guarded",
    "tree.id_scope": "parent",
    "embedding.model": "minilm",
    "lexical.k1": 0.9,
    "lexical.b": 0.4,
    "lexical.stemmer": "auto",
    "graph.enabled": True,
}

FAST = Profile(
    "fast",
    "Least work per question: one dense search of the default index, and no language model.",
    {key: (value, "the default index") for key, value in _INDEX.items()}
    | {
        "planner.kind": ("rule", "27"),
        "planner.max_queries": (1, "27"),
        "retrieval.top_k": (5, "27"),
        "retrieval.bm25_top_k": (0, "27"),
        "retrieval.parent_limit": ("paragraph", "D-EXP"),
        "retrieval.snippet_dedup": ("tree", "D-SDEDUP"),
        "retrieval.snippet_tokens": (400, "CTX-4"),
        "retrieval.context_tokens": (6000, "CTX-4"),
        "llm.provider": (None, "LLM-1"),
        "llm.model": ("openai/gpt-4o-mini", "29"),
        "llm.max_concurrent": (8, "D-CONC"),
        "answer.max_retries": (0, "D-MAXR"),
    },
)
