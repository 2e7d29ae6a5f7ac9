"""Graph search as one recursive SQL statement for all queries: the reference for the search over arrays."""

from collections.abc import Sequence

import duckdb
import numpy as np
import pyarrow as pa

from kohaku_lib.index.graph.arrays import BEGINS, DECAY, HOLDS, MOST_ENTITIES, MOST_KEYWORDS
from kohaku_lib.index.graph.hits import GraphHits, Keyword, may_be_part
from kohaku_lib.index.graph.sql import EDGES, NAMES, PLACES


def search_by_statement(
    connection: duckdb.DuckDBPyConnection, keywords: Sequence[Keyword], max_hops: int, org_id: str | None = None
) -> GraphHits:
    """Return the result of `GraphIndex.search` by its definition: every walk without a cycle is followed."""
    table = pa.table(
        {
            "query": pa.array([keyword.query for keyword in keywords], pa.int32()),
            "place": pa.array(range(len(keywords)), pa.int32()),
            "keyword": pa.array([keyword.text for keyword in keywords], pa.string()),
            "in_part": pa.array([may_be_part(keyword) for keyword in keywords], pa.bool_()),
        }
    )
    limits = {"most_keywords": MOST_KEYWORDS, "most_entities": MOST_ENTITIES, "begins": BEGINS, "holds": HOLDS}
    connection.register("asked", table)
    try:
        values = limits | {"org": org_id, "hops": max_hops, "decay": DECAY}
        found = connection.execute(SEARCH, values).fetchnumpy()
    finally:
        connection.unregister("asked")
    return GraphHits(*(np.asarray(found[name]) for name in ("query", "node_row", "score", "most")))


SEARCH = f"""
WITH RECURSIVE own AS (
    SELECT entity_row, rarity FROM entities WHERE is_named AND ($org IS NULL OR org_id = $org)
), names AS (
    SELECT name, entity_row, rarity FROM ({NAMES}) JOIN own USING (entity_row)
), edges AS (
    SELECT edge.* FROM ({EDGES}) edge JOIN own ON target = own.entity_row
), places AS (
    SELECT place.*, rarity FROM ({PLACES}) place JOIN own USING (entity_row)
), matched AS (
    SELECT query, place, entity_row, rarity, 1.0::DOUBLE AS fit FROM asked JOIN names ON name = keyword
    UNION ALL
    SELECT query, place, entity_row, rarity, CASE WHEN starts_with(name, keyword) THEN $begins ELSE $holds END
    FROM asked JOIN names ON contains(name, keyword) AND name <> keyword WHERE in_part
), limited AS (
    SELECT query, place, entity_row, rarity, fit * rarity AS weight FROM matched
    QUALIFY dense_rank() OVER (PARTITION BY query ORDER BY place) <= $most_keywords
), seeds AS (
    SELECT query, entity_row, max(weight) AS weight FROM limited GROUP BY query, entity_row
    QUALIFY row_number() OVER (PARTITION BY query ORDER BY max(weight) DESC, entity_row) <= $most_entities
), widths AS (
    SELECT query, sum(best ORDER BY place) AS most
    FROM (SELECT query, place, max(weight * rarity) AS best FROM limited GROUP BY query, place) GROUP BY query
), walk AS (
    SELECT query, entity_row, weight, 0 AS hop, [entity_row] AS path FROM seeds
    UNION ALL
    SELECT query, target, weight * $decay * confidence, hop + 1, list_append(path, target)
    FROM walk JOIN edges ON source = entity_row WHERE hop < $hops AND NOT list_contains(path, target)
), reached AS (
    SELECT query, entity_row, max(weight) AS weight FROM walk GROUP BY query, entity_row
)
SELECT query, node_row, sum(weight * confidence * rarity ORDER BY entity_row) AS score, any_value(most) AS most
FROM reached JOIN places USING (entity_row) JOIN widths USING (query) GROUP BY query, node_row
ORDER BY query, score DESC, node_row
"""
