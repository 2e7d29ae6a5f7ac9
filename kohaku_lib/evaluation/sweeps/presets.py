"""Preset sweeps: those published by KohakuRAG's authors and the ablations of their paper, over Kohaku's settings."""

from __future__ import annotations

from collections.abc import Mapping

from kohaku_lib.settings import SweepSettings
from kohaku_lib.settings.evaluation_settings import Scalar

TOP_K = (4, 8, 16, 32)
ENSEMBLES = (1, 3, 5, 7, 9, 11, 13, 15)
CHAT_MODELS = ("openai/gpt-4o-mini", "openai/gpt-oss-120b", "qwen/qwen-2.5-72b-instruct", "mistralai/mistral-large")
EMBEDDING_MODELS = ("minilm", "jinaai/jina-embeddings-v3", "jinaai/jina-embeddings-v4")
BY_CHAT: dict[str, Scalar] = {"llm.provider": "openrouter"}  # needs OPENROUTER_API_KEY
WITH_CODE: dict[str, Scalar] = {"embedding.trust_remote_code": True}  # the two Jina models run code of theirs

PRESETS: Mapping[str, SweepSettings] = {
    "rerank-by-top_k": SweepSettings(
        line="retrieval.consensus",
        line_values=("frequency", "score", "combined", "none"),
        x="retrieval.top_k",
        x_values=TOP_K,
        base={"planner.max_queries": 4},
    ),
    "paragraph_mode-by-top_k": SweepSettings(
        line="retrieval.paragraph_search_mode",
        line_values=("averaged", "full", "both"),
        x="retrieval.top_k",
        x_values=TOP_K,
        base={"embedding.paragraph_mode": "both"},
    ),
    "fusion-by-top_k": SweepSettings(
        line="retrieval.fusion",
        line_values=("append", "rrf", "weighted_rrf", "minmax"),
        x="retrieval.top_k",
        x_values=TOP_K,
    ),
    "queries-by-top_k": SweepSettings(
        line="planner.max_queries", line_values=(2, 4, 6), x="retrieval.top_k", x_values=TOP_K
    ),
    "bm25-by-top_k": SweepSettings(
        line="retrieval.bm25_top_k",
        line_values=(0, 2, 4, 8),
        x="retrieval.top_k",
        x_values=TOP_K,
        base={"retrieval.fusion": "append"},
    ),
    "retries-by-top_k": SweepSettings(
        line="answer.max_retries", line_values=(0, 1, 2), x="retrieval.top_k", x_values=TOP_K
    ),
    "top_k_final-by-top_k": SweepSettings(
        line="retrieval.top_k_final", line_values=(16, 32, 0), x="retrieval.top_k", x_values=TOP_K
    ),
    "no_overlap-by-top_k": SweepSettings(
        line="retrieval.snippet_dedup", line_values=("none", "tree"), x="retrieval.top_k", x_values=TOP_K
    ),
    "order-by-place_of_context": SweepSettings(
        line="answer.snippet_order",
        line_values=("front_loaded", "sandwich", "alternating"),
        x="answer.context_first",
        x_values=(True, False),
    ),
    "dedup-by-child_depth": SweepSettings(
        line="retrieval.snippet_dedup",
        line_values=("none", "node_id", "tree"),
        x="retrieval.child_depth",
        x_values=(0, 1),
        runs=5,
    ),
    "blanks-by-ensemble": SweepSettings(
        line="ensemble.ignore_blank",
        line_values=(True, False),
        x="ensemble.runs",
        x_values=ENSEMBLES,
        base={"ensemble.ref_mode": "answer_priority"},
        of="ensemble",
    ),
    "ref_mode-by-ensemble": SweepSettings(
        line="ensemble.ref_mode",
        line_values=("independent", "ref_priority", "answer_priority", "union", "intersection"),
        x="ensemble.runs",
        x_values=ENSEMBLES,
        of="ensemble",
    ),
    "tie_break-by-ensemble": SweepSettings(
        line="ensemble.tie_break",
        line_values=("first", "blank", "random"),
        x="ensemble.runs",
        x_values=ENSEMBLES,
        base={"ensemble.ref_mode": "answer_priority"},
        of="ensemble",
    ),
    "dedup-by-child_depth-voted": SweepSettings(
        line="retrieval.snippet_dedup",
        line_values=("none", "node_id", "tree"),
        x="retrieval.child_depth",
        x_values=(0, 1),
        base={"ensemble.ref_mode": "answer_priority"},
        runs=5,
        of="ensemble",
    ),
    "llm-by-top_k": SweepSettings(
        line="llm.model", line_values=CHAT_MODELS, x="retrieval.top_k", x_values=TOP_K, base=BY_CHAT
    ),
    "embedding-by-top_k": SweepSettings(
        line="embedding.model", line_values=EMBEDDING_MODELS, x="retrieval.top_k", x_values=TOP_K, base=WITH_CODE
    ),
    "llm-by-embedding": SweepSettings(
        line="llm.model",
        line_values=CHAT_MODELS,
        x="embedding.model",
        x_values=EMBEDDING_MODELS,
        base=BY_CHAT | WITH_CODE,
    ),
    "images-by-top_k_images": SweepSettings(
        line="answer.send_images",
        line_values=(True, False),
        x="retrieval.top_k_images",
        x_values=(1, 2, 4),
        base=BY_CHAT | {"retrieval.with_images": True},
    ),
    "prompt_order-by-retries": SweepSettings(
        line="answer.context_first", line_values=(True, False), x="answer.max_retries", x_values=(0, 1, 2), base=BY_CHAT
    ),
}
