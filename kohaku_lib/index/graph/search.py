"""Search in the graph: one recursive statement for all queries of a call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    import duckdb

# Keywords and entities of a query, relations of an entity, and what is left of a weight one relation away.
LIMITS = {"keywords": 5, "entities": 20, "fan_out": 50, "decay": 0.5}


@dataclass(frozen=True, slots=True)
class Keyword:
    """A name in a query, in its canonical form; one that is not `exact` also finds longer names that hold it."""

    query: int
    text: str
    exact: bool


@dataclass(frozen=True, slots=True)
class GraphHits:
    """Nodes with their scores, sorted by query and then best first; equal scores stand in the order of the nodes."""

    queries: np.ndarray  # (hits,) the number of the query
    node_rows: np.ndarray  # (hits,) rows of NODES
    scores: np.ndarray  # (hits,) more than 0


def search_graph(
    connection: duckdb.DuckDBPyConnection, keywords: Sequence[Keyword], max_hops: int, org_id: str | None = None
) -> GraphHits:
    """Return the nodes that mention the entities named by `keywords`, or entities at most `max_hops` relations away.

    `keywords` of a query stand best first; the first five that any entity bears count, and twenty entities. A seed
    weighs 1 where its name or an alias is the keyword, 0.7 where it begins with it, 0.4 where it holds it, times its
    rarity; each relation multiplies by 0.5 and its confidence, over the 50 surest of each entity, never in a cycle.
    A node's score is the sum over entities of weight, rarity and the confidence of the mention; a paragraph also has the
    mentions of its sentences. Every step keeps to the tenant `org_id`; None: each tenant's entities stay among theirs.
    """
    if not keywords:
        return GraphHits(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    table = pa.table(
        {
            "query": pa.array([keyword.query for keyword in keywords], pa.int32()),
            "place": pa.array(range(len(keywords)), pa.int32()),
            "keyword": pa.array([keyword.text for keyword in keywords], pa.string()),
            "exact": pa.array([keyword.exact for keyword in keywords], pa.bool_()),
        }
    )
    connection.register("asked", table)
    try:
        found = connection.execute(SEARCH, LIMITS | {"org": org_id, "hops": max_hops}).fetchnumpy()
    finally:
        connection.unregister("asked")
    return GraphHits(*(np.asarray(found[name]) for name in ("query", "node_row", "score")))


class GraphIndex:
    """The graph of a snapshot: a read-only connection for each thread that asks."""

    def __init__(self, connect: Callable[[], duckdb.DuckDBPyConnection]) -> None:
        self._connect = connect
        self._of_thread = threading.local()

    def search(self, keywords: Sequence[Keyword], max_hops: int, org_id: str | None = None) -> GraphHits:
        """Return what `search_graph` finds."""
        if not hasattr(self._of_thread, "connection"):
            self._of_thread.connection = self._connect()
        return search_graph(self._of_thread.connection, keywords, max_hops, org_id)


SEARCH = """
WITH RECURSIVE own AS (
    SELECT entity_id, org_id, canonical_name,
           ln(1 + (SELECT count(*) FROM nodes) / mentioning_nodes) / ln(1 + (SELECT count(*) FROM nodes)) AS rarity
    FROM entities WHERE is_named AND ($org IS NULL OR org_id = $org)
), names AS (
    SELECT entity_id, canonical_name AS name FROM own
    UNION ALL
    SELECT entity_id, alias FROM entity_aliases WHERE $org IS NULL OR org_id = $org
), matched AS (
    SELECT query, place, entity_id, 1.0 AS fit FROM asked JOIN names ON name = keyword
    UNION ALL
    SELECT query, place, entity_id, CASE WHEN starts_with(name, keyword) THEN 0.7 ELSE 0.4 END
    FROM asked JOIN names ON contains(name, keyword) AND name <> keyword WHERE NOT exact
), limited AS (
    SELECT query, entity_id, fit FROM matched
    QUALIFY dense_rank() OVER (PARTITION BY query ORDER BY place) <= $keywords
), seeds AS (
    SELECT query, entity_id, max(fit) * any_value(rarity) AS weight
    FROM limited JOIN own USING (entity_id) GROUP BY query, entity_id
    QUALIFY row_number() OVER (PARTITION BY query ORDER BY max(fit) * any_value(rarity) DESC, entity_id) <= $entities
), edges AS (
    SELECT source, target, max(confidence) AS confidence FROM (
        SELECT org_id, source_entity_id AS source, target_entity_id AS target, confidence FROM relations
        UNION ALL
        SELECT org_id, target_entity_id, source_entity_id, confidence FROM relations
    ) WHERE $org IS NULL OR org_id = $org GROUP BY source, target
    QUALIFY row_number() OVER (PARTITION BY source ORDER BY max(confidence) DESC, target) <= $fan_out
), walk AS (
    SELECT query, entity_id, weight, 0 AS hop, [entity_id] AS path FROM seeds
    UNION ALL
    SELECT query, target, weight * $decay * confidence, hop + 1, list_append(path, target)
    FROM walk JOIN edges ON source = entity_id WHERE hop < $hops AND NOT list_contains(path, target)
), reached AS (
    SELECT query, entity_id, max(weight) AS weight FROM walk GROUP BY query, entity_id
), mentioned AS (
    SELECT entity_id, unnest([node_row, parent_row]) AS node_row, confidence
    FROM entity_mentions WHERE parent_row <> -1 AND ($org IS NULL OR org_id = $org)
), weighed AS (
    SELECT query, node_row, entity_id, any_value(weight) * max(confidence) AS score
    FROM reached JOIN mentioned USING (entity_id) GROUP BY query, node_row, entity_id
)
SELECT query, node_row, sum(score * rarity ORDER BY entity_id) AS score
FROM weighed JOIN own USING (entity_id) GROUP BY query, node_row
ORDER BY query, score DESC, node_row
"""
