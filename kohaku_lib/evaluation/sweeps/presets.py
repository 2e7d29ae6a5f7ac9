"""Preset sweeps: those published by KohakuRAG's authors, over Kohaku's settings."""

from __future__ import annotations

from collections.abc import Mapping

from kohaku_lib.settings import SweepSettings

TOP_K = (4, 8, 16, 32)

PRESETS: Mapping[str, SweepSettings] = {
    "rerank-by-top_k": SweepSettings(
        line="retrieval.rerank",
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
        x_values=(1, 3, 5, 7, 9, 11, 13, 15),
        base={"ensemble.ref_mode": "answer_priority"},
        of="ensemble",
    ),
}
