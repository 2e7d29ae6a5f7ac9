"""The conversational assistant: two channels by equal reciprocal ranks, routed, verified and reordered."""

from __future__ import annotations

from kohaku_lib.settings.profiles.profile import Profile

ASSISTANT = Profile(
    "assistant",
    "A conversational assistant's pipeline at its standard level.",
    {
        "documents.parser": ("auto", "D-PDF"),
        "documents.sections": ("headings", "D-PDF"),
        "documents.ocr": ("auto", "IMG-4"),
        "tree.resegment": (True, "D-CHUNK"),
        "tree.sentence_splitter": ("guarded", "D-CHUNK"),
        "tree.id_scope": ("parent", "D-CHUNK"),
        "embedding.model": ("minilm", "D-EMB"),
        "lexical.stemmer": ("auto", "LEX-2"),
        "graph.enabled": (False, "REQ-4"),
        "planner.max_queries": (1, "REQ-4"),
        "planner.hyde": ("auto", "PLAN-4"),
        "planner.step_back": ("auto", "PLAN-5"),
        "planner.routing": ("rules", "ROUTE-1"),
        "retrieval.top_k": (15, "RET-9"),
        "retrieval.top_k_final": (10, "RET-9"),
        "retrieval.rerank": ("rrf", "PLAN-3"),
        "retrieval.fusion": ("rrf", "D-RRF"),
        "retrieval.rrf_k": (30, "D-RRF"),
        "retrieval.graph_weight": (0.0, "REQ-4"),
        "retrieval.graph_hops": (2, "D-HOPS"),
        "retrieval.threshold": (0.40, "RET-3"),
        "retrieval.parent_limit": ("paragraph", "D-CHUNK"),
        "retrieval.snippet_dedup": ("tree", "DEDUP-1"),
        "retrieval.context_tokens": (4400, "MEM-3"),
        "retrieval.spelling": (True, "SPELL-1"),
        "rerank.penalties": ({"reference": 0.7, "glossary": 0.7, "toc": 0.5, "image_credit": 0.6}, "RET-14"),
        "rerank.semantic_dedup": (0.95, "DEDUP-1"),
        "rerank.verify": ("quick", "REQ-3"),
        "rerank.verify_cosine": (0.35, "VER-1"),
        "llm.provider": ("openrouter", "29"),
        "llm.model": ("openai/gpt-4o-mini", "29"),
        "llm.call_retries": (3, "LLM-4"),
        "llm.retry_base_s": (1.0, "LLM-4"),
        "answer.snippet_order": ("sandwich", "ORD-1"),
    },
)
