"""Graph search as one recursive SQL statement for all queries: the reference of the faster search over arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kohaku_lib.index.graph.sql import EDGES, NAMES, PLACES

if TYPE_CHECKING:
    import duckdb

MOST_KEYWORDS, MOST_ENTITIES = 5, 20  # of a query
DECAY = 0.5  # factor of a weight per relation, times the relation's confidence
BEGINS, HOLDS = (
    0.7,
    0.4,
)  # match quality of a name that starts with a keyword or contains it elsewhere; an equal name: 1
LEAST_PART = 4  # characters of a keyword that may match part of a name


@dataclass(frozen=True, slots=True)
class Keyword:
    """A name in a query, in canonical form; unless `exact`, it also matches longer names that contain it."""

    query: int
    text: str
    exact: bool


@dataclass(frozen=True, slots=True)
class GraphHits:
    """Nodes with their scores, sorted by query, then best first, then by node."""

    queries: np.ndarray  # (hits,) the number of the query
    node_rows: np.ndarray  # (hits,) rows of NODES
    scores: np.ndarray  # (hits,) more than 0
    most: np.ndarray  # (hits,) score of a text that mentions the rarest entity of every keyword of the query


def search_graph(
    connection: duckdb.DuckDBPyConnection, keywords: Sequence[Keyword], max_hops: int, org_id: str | None = None
) -> GraphHits:
    """Return the nodes that mention the entities named by `keywords`, or entities at most `max_hops` relations away.

    `keywords` are grouped by query, best first; the first five with a match count, and twenty entities. A seed weighs 1 if
    its name or an alias equals the keyword, 0.7 if it starts with it, 0.4 if it contains it, times its rarity; each relation
    multiplies by 0.5 and its confidence, over the 50 most confident relations of each entity, without cycles. A node's score
    is the sum over entities of weight, rarity and the confidence of the mention; a paragraph includes the mentions of its
    sentences. Every step is restricted to the tenant `org_id`; with None, walks still stay within one tenant.
    """
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


def may_be_part(keyword: Keyword) -> bool:
    """Return whether a keyword also matches longer names that contain it.

    >>> may_be_part(Keyword(0, "iowa", exact=False)), may_be_part(Keyword(0, "ai", exact=False))
    (True, False)
    """
    return not keyword.exact and len(keyword.text) >= LEAST_PART


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
"""  # noqa: S608 - own statements
