"""The trace of a retrieval result as a JSON object: queries, ranks per channel, dropped nodes with reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.packing.pack import PackedSnippet
from kohaku_lib.retrieval.refine.refine import RefinedRanking
from kohaku_lib.retrieval.search.channels import QueryRankings
from kohaku_lib.retrieval.search.prepare import PreparedPlan
from kohaku_lib.retrieval.search.results import SearchResults


def trace_result(
    snapshot: Snapshot,
    prepared: PreparedPlan,
    searched: SearchResults,
    refined: RefinedRanking,
    packed: Sequence[PackedSnippet],
    dropped: Sequence[int],
    explained: int,
) -> dict[str, Any]:
    """Return the trace of a result; the first `explained` nodes are listed with their rank in every channel.

    `dropped` are the rows of nodes that did not fit into the context. The trace is deterministic.
    """
    requests = prepared.requests
    rankings = searched.rankings(prepared, requests)
    return {
        "depth": prepared.depth,
        "index_version": snapshot.version,
        **_route_trace(prepared),
        **({"corrections": [list(pair) for pair in prepared.corrections]} if prepared.corrections else {}),
        **({"failed_channels": dict(searched.failures)} if searched.failures else {}),
        "channels": [
            {"role": query.role, "weight": prepared.weight(query)} | found.trace(snapshot)
            for (query, _), found in zip(requests, rankings, strict=True)
        ],
        "matches": _match_ranks(snapshot, rankings, refined, explained),
        "tokens": sum(item.tokens for item in packed),
        "dropped": [
            *refined.dropped,
            *({"node_id": node, "why": "budget"} for node in snapshot.column("node_id", dropped)),
        ],
        **refined.trace,
    }


def _route_trace(prepared: PreparedPlan) -> dict[str, Any]:
    plan = prepared.plan
    if plan.strategy is None:
        return {}
    settings = prepared.settings
    return {
        "routing": {
            "strategy": plan.strategy,
            "intent": plan.intent,
            "intent_confidence": plan.intent_confidence,
            "complexity": plan.complexity,
            "signals": list(plan.signals),
            "weights": dict(plan.weights),
            "top_k": settings.top_k,
        }
    }


def _match_ranks(
    snapshot: Snapshot, rankings: Sequence[QueryRankings], refined: RefinedRanking, explained: int
) -> list[dict[str, Any]]:
    """Return the best nodes with their ranks, from 1, in each channel of each query that found them."""
    best = refined.nodes.head(explained)
    ids = snapshot.column("node_id", snapshot.search_rows[best.rows])
    ranks = zip(*(found.ranks(best.rows) for found in rankings), strict=True)
    return [
        {"node_id": node_id, "score": score, "ranks": list(own)}
        for node_id, score, own in zip(ids, best.scores.tolist(), ranks, strict=True)
    ]
