"""The keywords of graph searches and the nodes they find."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
    most: np.ndarray  # (hits,) score of a text that mentions an entity of no other text for every keyword of the query


def may_be_part(keyword: Keyword) -> bool:
    """Return whether a keyword also matches longer names that contain it.

    >>> may_be_part(Keyword(0, "iowa", exact=False)), may_be_part(Keyword(0, "ai", exact=False))
    (True, False)
    """
    return not keyword.exact and len(keyword.text) >= LEAST_PART
