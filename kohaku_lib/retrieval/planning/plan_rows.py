"""Conversion of plans to table rows and from their short form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from kohaku_lib.tables import PlannedQuery, QueryPlan

MOST_QUERIES = 8  # per question
PlanLike = QueryPlan | tuple[str, Sequence[str]]  # or an id and the query texts, the question first


def as_plan(plan: PlanLike) -> QueryPlan:
    """Return `plan`, converted from an id and texts if necessary: the question, then planned queries.

    >>> [(query.text, query.role) for query in as_plan(("q1", ["How heavy is it?", "weight kg"])).queries]
    [('How heavy is it?', 'question'), ('weight kg', 'planned')]
    """
    return plan if isinstance(plan, QueryPlan) else QueryPlan(plan[0], role_queries(plan[1]))


def role_queries(texts: Sequence[str]) -> tuple[PlannedQuery, ...]:
    """Return queries of `texts`: the question, then the planned queries."""
    return tuple(PlannedQuery(text, "planned" if place else "question") for place, text in enumerate(texts))


def plan_to_row(plan: QueryPlan) -> dict[str, Any]:
    """Return a plan as a value of PLAN, which does not include its id."""
    row: dict[str, Any] = asdict(plan)
    del row["id"]
    return row | {"weights": list(plan.weights.items()), "channel_top_k": list(plan.channel_top_k.items())}


def plan_from_row(plan_id: str, row: Mapping[str, Any]) -> QueryPlan:
    """Return the plan that `plan_to_row` wrote."""
    queries = tuple(PlannedQuery(**query | {"channels": _tuple_or_none(query["channels"])}) for query in row["queries"])
    maps = {name: dict(row[name]) for name in ("weights", "channel_top_k")}
    values: dict[str, Any] = {**row, **maps, "queries": queries, "signals": tuple(row["signals"])}
    return QueryPlan(plan_id, **values)


def _tuple_or_none(values: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)
