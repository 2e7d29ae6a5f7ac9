"""KohakuRAG: the defaults of its documentation, and the configuration of its competition entries."""

from __future__ import annotations

from typing import Any

from kohaku_lib.settings.profiles.profile import Profile

# What the code of both does: pages of one paragraph, numbers that run through the document, no limit of a context.
OF_ITS_CODE: dict[str, tuple[Any, str]] = {
    "documents.sections": ("pages", "PAR-5"),
    "documents.min_image_size": (50, "PAR-7"),
    "images.max_side_px": (1024, "IMG-1"),
    "images.quality": (95, "IMG-1"),
    "tree.view": ("hierarchy", "TREE-1"),
    "tree.resegment": (False, "PAR-5"),
    "tree.parent_texts": ("payload", "TREE-3"),
    "tree.search_placeholders": (True, "PAR-7"),
    "tree.sentence_splitter": ("regex", "PAR-1"),
    "tree.id_base": (1, "D-ID0"),
    "tree.id_scope": ("document", "D-IDCTR"),
    "embedding.task": ("retrieval", "29"),
    "embedding.precision": ("float32", "EMB-2"),
    "embedding.weighting": ("none", "D-AVG"),
    "retrieval.kinds": ("both", "RET-1"),
    "retrieval.candidates": ("top_k_of_all", "RET-1"),
    "retrieval.fusion": ("append", "RET-7"),
    "retrieval.bm25_order": ("query", "RET-7"),
    "retrieval.dedup_first": (True, "D-ORDER"),
    "retrieval.threshold": (-1.0, "RET-3"),
    "retrieval.parent_depth": (1, "D-EXP"),
    "retrieval.parent_limit": ("document", "CTX-1"),
    "retrieval.snippet_dedup": ("none", "D-SDEDUP"),
    "llm.provider": ("openrouter", "LLM-1"),
    "llm.max_concurrent": (32, "D-CONC"),
    "llm.call_retries": (10, "LLM-2"),
    "llm.retry_base_s": (3.0, "LLM-2"),
    "llm.retry_factor": (1.414, "LLM-2"),
    "answer.deepening": ("linear", "RETRY-2"),
    "answer.replan_on_retry": (True, "RETRY-3"),
    "answer.overflow": ("minus_one", "D-OVF"),
    "answer.cite": ("document", "D-REF"),
    "ensemble.tie_break": ("first", "29"),
}

KOHAKU = Profile(
    "kohaku",
    "KohakuRAG with the defaults of its documentation.",
    OF_ITS_CODE
    | {
        "images.captions": ("off", "25"),
        "embedding.model": ("jinaai/jina-embeddings-v3", "D-EMB"),
        "embedding.dim": (None, "29"),
        "embedding.paragraph_mode": ("averaged", "29"),
        "planner.max_queries": (3, "D-QN"),
        "planner.model": (None, "29"),
        "retrieval.child_depth": (1, "D-EXP"),
        "retrieval.top_k": (5, "D-K"),
        "retrieval.top_k_final": (None, "29"),
        "retrieval.paragraph_search_mode": ("averaged", "29"),
        "retrieval.deduplicate": (False, "D-DEDUP"),
        "retrieval.consensus": ("none", "D-DEDUP"),
        "retrieval.bm25_top_k": (0, "29"),
        "retrieval.with_images": (False, "29"),
        "retrieval.top_k_images": (0, "29"),
        "llm.model": ("openai/gpt-4o-mini", "29"),
        "answer.cite": ("node", "D-REF"),
        "answer.context_first": (False, "D-ORDERP"),
        "answer.send_images": (False, "29"),
        "answer.max_retries": (0, "D-MAXR"),
        "ensemble.ref_mode": ("union", "29"),
        "ensemble.ignore_blank": (False, "29"),
    },
)

WATTBOT = Profile(
    "wattbot",
    "KohakuRAG as configured for the entries that won WattBot 2025.",
    OF_ITS_CODE
    | {
        "images.captions": ("vision", "IMG-2"),
        "images.caption_model": ("qwen/qwen3-vl-235b-a22b-instruct", "IMG-2"),
        "images.caption_max_tokens": (300, "IMG-2"),
        "embedding.model": ("jinaai/jina-embeddings-v4", "28.2"),
        "embedding.dim": (512, "28.2"),
        "embedding.images": ("direct", "28.2"),
        "embedding.paragraph_mode": ("both", "D-PMODE"),
        "lexical.k1": (1.2, "2.1"),
        "lexical.b": (0.75, "2.1"),
        "lexical.stemmer": ("none", "2.1"),
        "planner.max_queries": (4, "D-QN"),
        "retrieval.child_depth": (0, "D-EXP"),
        "retrieval.top_k": (16, "28.2"),
        "retrieval.top_k_final": (32, "D-KF"),
        "retrieval.paragraph_search_mode": ("averaged", "28.2"),
        "retrieval.deduplicate": (True, "28.2"),
        "retrieval.consensus": ("combined", "28.2"),
        "retrieval.bm25_top_k": (4, "RET-7"),
        "retrieval.with_images": (True, "28.2"),
        "retrieval.top_k_images": (2, "28.2"),
        "llm.model": ("openai/gpt-oss-120b", "28.2"),
        "answer.context_first": (True, "28.2"),
        "answer.send_images": (False, "28.2"),
        "answer.max_retries": (2, "28.2"),
        "ensemble.runs": (5, "28.2"),
        "ensemble.ref_mode": ("answer_priority", "28.2"),
        "ensemble.ignore_blank": (True, "28.2"),
    },
)
