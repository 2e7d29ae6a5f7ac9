"""The trace of a retrieval result as a JSON object: queries, ranks per channel, dropped nodes with reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.fusion.interface import FusedRanking, QueryRankings
from kohaku_lib.retrieval.packing.pack import PackedSnippet
from kohaku_lib.retrieval.refine.refine import RefinedRanking
from kohaku_lib.retrieval.search.prepare import PreparedPlan
from kohaku_lib.retrieval.search.results import SearchResults


def trace_result(
    snapshot: Snapshot,
    prepared_plan: PreparedPlan,
    search_results: SearchResults,
    ranking: RefinedRanking,
    snippets: Sequence[PackedSnippet],
    dropped: Sequence[int],
    explained: int,
) -> dict[str, Any]:
    """Return the trace of a result; the first `explained` nodes are listed with their rank in every channel.

    `dropped` are the rows of nodes that did not fit into the context. The trace is deterministic.
    """
    requests = prepared_plan.requests
    rankings = search_results.rankings(prepared_plan, requests)
    return {
        "depth": prepared_plan.depth,
        "index_version": snapshot.version,
        **_route_trace(prepared_plan),
        **({"corrections": [list(pair) for pair in prepared_plan.corrections]} if prepared_plan.corrections else {}),
        **({"failed_channels": dict(search_results.failures)} if search_results.failures else {}),
        "channels": [
            {"role": query.role, "weight": prepared_plan.weight(query)} | query_rankings.trace(snapshot)
            for (query, _), query_rankings in zip(requests, rankings, strict=True)
        ],
        "matches": _match_ranks(snapshot, rankings, ranking, explained),
        "tokens": sum(item.tokens for item in snippets),
        "dropped": [
            *ranking.dropped,
            *({"node_id": node, "why": "budget"} for node in snapshot.column("node_id", dropped)),
        ],
        **ranking.trace,
    }


def lift_trace(snapshot: Snapshot, ranking: FusedRanking) -> dict[str, Any]:
    """Return the paragraphs that a second hop lifted most, and by how much; nothing if there is none."""
    ids = snapshot.column("node_id", snapshot.search_rows[[row for row, _ in ranking.lifts]]) if ranking.lifts else []
    lifts = [{"node_id": name, "lift": lift} for name, (_, lift) in zip(ids, ranking.lifts, strict=True)]
    return {"hops": lifts} if lifts else {}


def _route_trace(prepared_plan: PreparedPlan) -> dict[str, Any]:
    plan = prepared_plan.plan
    if plan.strategy is None:
        return {}
    settings = prepared_plan.settings
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
    snapshot: Snapshot, rankings: Sequence[QueryRankings], ranking: RefinedRanking, explained: int
) -> list[dict[str, Any]]:
    """Return the best nodes with their ranks, from 1, in each channel of each query that found them.

    A paragraph that stands for its sentences has the better rank of its own and of its best sentence's.
    """
    best = ranking.nodes.head(explained)
    ids = snapshot.column("node_id", snapshot.search_rows[best.rows])
    sentences = np.array([ranking.best_sentences.get(row, row) for row in best.rows.tolist()], np.int64)
    ranks = zip(*(_better_ranks(one.ranks(best.rows), one.ranks(sentences)) for one in rankings), strict=True)
    return [
        {"node_id": node_id, "score": score, "ranks": list(own)}
        for node_id, score, own in zip(ids, best.scores.tolist(), ranks, strict=True)
    ]


def _better_ranks(first: Sequence[dict[str, int]], second: Sequence[dict[str, int]]) -> list[dict[str, int]]:
    return [
        {name: min(ranks[name] for ranks in (one, other) if name in ranks) for name in one | other}
        for one, other in zip(first, second, strict=True)
    ]
