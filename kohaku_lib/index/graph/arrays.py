"""Graph search over memory-mapped arrays."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index.byte_limited_cache import ByteLimitedCache
from kohaku_lib.index.graph.hits import GraphHits, Keyword, may_be_part
from kohaku_lib.index.graph.sql import EDGES, NAMES, PLACES
from kohaku_lib.index.snapshots.arrow_files import map_table, write_table

if TYPE_CHECKING:
    import duckdb

_QUERIES = {
    "entities": "SELECT entity_id, org_id, rarity FROM entities ORDER BY entity_row",
    "names": f"SELECT name, entity_row FROM ({NAMES}) ORDER BY name, entity_row",  # noqa: S608 - own statements
    "edges": f"SELECT source, target, confidence FROM ({EDGES}) ORDER BY source, target",  # noqa: S608
    "places": f"SELECT entity_row, node_row, confidence FROM ({PLACES}) ORDER BY entity_row, node_row",  # noqa: S608
}
MOST_KEYWORDS, MOST_ENTITIES = 5, 20  # of a query
DECAY = 0.5  # factor of a weight per relation, times the relation's confidence
BEGINS, HOLDS = 0.7, 0.4  # fit of a name that starts with a keyword or contains it elsewhere; an equal name: 1
FITS_BYTES = 2**24  # of cached name matches

# Entity rows → for each relation: the index of its source among them, the row of its target, its confidence.
Neighbours = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
_NOTHING = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0))  # queries, rows, scores, most


def write_graph(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write the arrays that the search reads from a snapshot's tables into `folder`."""
    folder.mkdir()
    for name, query in _QUERIES.items():
        write_table(folder / f"{name}.arrow", connection.sql(query).to_arrow_table())


class GraphIndex:
    """The graph in a folder by `write_graph`, mapped at the first search. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cache: ByteLimitedCache[_EntityMatches] = ByteLimitedCache(FITS_BYTES)

    def search(
        self,
        keywords: Sequence[Keyword],
        max_hops: int,
        org_id: str | None = None,
        neighbours: Neighbours | None = None,
    ) -> GraphHits:
        """Return the nodes that mention the entities named by `keywords`, or entities at most `max_hops` relations away.

        `keywords` are grouped by query, best first; the first five with a match count, and twenty entities. A seed weighs
        1 if its name or an alias equals the keyword, 0.7 if it starts with it, 0.4 if it contains it, times its rarity;
        each relation multiplies by 0.5 and its confidence, over the 50 most confident relations of each entity, without
        cycles. A node's score is the sum over entities of weight, rarity and the confidence of the mention; a paragraph
        includes the mentions of its sentences. Every step is restricted to the tenant `org_id`; with None, walks still
        stay within one tenant. `neighbours` replaces the snapshot's relations.
        """
        found = [
            self._hits(query, self._seeds(own, org_id), max_hops, neighbours or self._neighbours)
            for query, own in groupby(keywords, key=lambda keyword: keyword.query)
        ]
        return GraphHits(*map(np.concatenate, zip(_NOTHING, *found, strict=True)))

    def related(self, node_rows: np.ndarray, max_hops: int, org_id: str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes that share entities with the nodes `node_rows`, directly or by relations, and their scores.

        Sorted by row, including `node_rows`. The twenty rarest entities are seeds, weighted by rarity; relations are followed
        as in a search.
        """
        found = self.entities_in(node_rows, org_id)
        rarity = self._rarity[found]
        best = np.argsort(-rarity, kind="stable")[:MOST_ENTITIES]
        return self._nodes(*self._reached(_EntityMatches(found[best], rarity[best], 0.0), max_hops, self._neighbours))

    def entities_in(self, node_rows: np.ndarray, org_id: str | None = None) -> np.ndarray:
        """Return the rows of the entities of the tenant `org_id` that the nodes `node_rows` mention, sorted."""
        return np.unique(self.entities_by_node(node_rows, org_id)[0])

    def entities_by_node(self, node_rows: np.ndarray, org_id: str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the entities of the tenant `org_id` that each of these nodes mentions, and the index of the node of each.

        An entity is repeated for each node, and for each mention.
        """
        entities, of_place = self._entities_by_node
        rows = node_rows.astype(of_place.dtype)  # a search for other numbers would convert all places
        low, high = np.searchsorted(of_place, rows), np.searchsorted(of_place, rows, side="right")
        found = np.concatenate([np.empty(0, np.int64), *map(entities.__getitem__, map(slice, low, high))])
        of = np.repeat(np.arange(len(rows)), high - low)
        if org_id is None:
            return found, of
        own = self._orgs[found] == org_id
        return found[own], of[own]

    def entities_named(self, names: Iterable[str], org_id: str | None = None) -> np.ndarray:
        """Return the rows of the entities of the tenant `org_id` with one of these canonical names or aliases, sorted."""
        found = {row for name in names for row in self._rows_by_name.get(name, ())}
        return self._of_tenant(np.array(sorted(found), np.int64), org_id)

    def rarity(self, entities: np.ndarray) -> np.ndarray:
        """Return how rare each of these entities is: ln(1 + nodes / mentioning nodes) / ln(1 + nodes), up to 1."""
        return self._rarity[entities]

    def mentions(self, entities: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes that mention these entities, and the index of the entity of each mention.

        Entities mentioned by more than `most` nodes are left out.
        """
        starts, columns = self._places
        rare = np.flatnonzero(starts[entities + 1] - starts[entities] <= most)
        at, of = _slices(starts, entities[rare])
        return columns["node_row"][at], rare[of]

    def _of_tenant(self, entities: np.ndarray, org_id: str | None) -> np.ndarray:
        return entities if org_id is None else entities[self._orgs[entities] == org_id]

    def entity_ids(self, rows: np.ndarray) -> list[str]:
        """Return the ids of the entities at `rows`."""
        return self._table("entities").column("entity_id").take(pa.array(rows)).to_pylist()

    def entity_rows(self, ids: Sequence[str], org_id: str) -> np.ndarray:
        """Return the rows of entities by id; -1 if unknown or of another tenant."""
        known = self._table("entities").column("entity_id")
        found = pc.call_function("index_in", [pa.array(ids, pa.string())], pc.SetLookupOptions(known))
        rows = np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)
        return np.where((rows >= 0) & (self._orgs[rows] == org_id), rows, -1)

    def _hits(self, query: int, seeds: _EntityMatches, max_hops: int, neighbours: Neighbours) -> tuple[np.ndarray, ...]:
        rows, scores = self._nodes(*self._reached(seeds, max_hops, neighbours))
        order = np.argsort(-scores, kind="stable")
        return np.full(len(rows), query), rows[order], scores[order], np.full(len(rows), seeds.most)

    def _seeds(self, keywords: Iterable[Keyword], org_id: str | None) -> _EntityMatches:
        """Return the entities named by one query, each once, heaviest first."""
        known = (word for word in keywords if may_be_part(word) or word.text in self._rows_by_name)
        return _merge_matches(
            list(islice(filter(len, (self._entities_named(word, org_id) for word in known)), MOST_KEYWORDS))
        )

    def _entities_named(self, keyword: Keyword, org_id: str | None) -> _EntityMatches:
        """Return the entities of a tenant that match a keyword, cached, as queries repeat names."""
        key = (keyword.text, may_be_part(keyword), org_id)
        return self._cache.get(key, lambda: self._match(*key))

    def _match(self, name: str, in_part: bool, org_id: str | None) -> _EntityMatches:
        found = list(self._named_entities(name, in_part))
        rows, fits = np.array([row for row, _ in found], np.int64), np.array([fit for _, fit in found], np.float64)
        if org_id is not None:
            own = self._orgs[rows] == org_id
            rows, fits = rows[own], fits[own]
        return _EntityMatches(rows, fits * self._rarity[rows], float(fits.max(initial=0.0)))

    def _named_entities(self, name: str, in_part: bool) -> Iterator[tuple[int, float]]:
        """Yield the entities whose names equal or contain `name`, and the quality of the match."""
        for row in self._rows_by_name.get(name, ()):
            yield row, 1.0
        if not in_part:
            return
        text, starts = self._text
        at = text.find(name)
        while at >= 0:
            line = bisect_right(starts, at) - 1
            end = starts[line + 1] - 1
            if (starts[line], end) != (at, at + len(name)):
                yield int(self._name_rows[line]), BEGINS if starts[line] == at else HOLDS
            at = text.find(name, end)

    def _neighbours(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        starts, columns = self._edges
        at, of = _slices(starts, rows)
        return of, columns["target"][at], columns["confidence"][at]

    def _reached(self, seeds: _EntityMatches, max_hops: int, neighbours: Neighbours) -> tuple[np.ndarray, np.ndarray]:
        """Return the entities within `max_hops` relations of the seeds, by row, and their weights."""
        rows, weights = seeds.rows, seeds.weights
        best = np.zeros(len(self._rarity))
        best[rows] = weights
        # Weights only decrease along a walk, so the best walk to an entity has no cycle and no paths need be tracked.
        for _ in range(max_hops if len(rows) else 0):
            of, targets, confidences = neighbours(rows)
            level = np.zeros(len(best))
            np.maximum.at(level, targets, weights[of] * DECAY * confidences)
            rows = np.flatnonzero(level != 0)
            weights = level[rows]
            np.maximum(best, level, out=best)
        found = np.flatnonzero(best != 0)
        return found, best[found]

    def _nodes(self, entities: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes that mention these entities, by row, and their scores."""
        starts, columns = self._places
        at, of = _slices(starts, entities)
        shares = weights[of] * columns["confidence"][at] * self._rarity[entities][of]
        return _sum_by_row(columns["node_row"][at], shares)

    def _table(self, name: str) -> pa.Table:
        return map_table(self._folder / f"{name}.arrow")

    @cached_property
    def _rarity(self) -> np.ndarray:
        return self._table("entities").column("rarity").to_numpy()

    @cached_property
    def _orgs(self) -> np.ndarray:
        return self._table("entities").column("org_id").to_numpy()

    @cached_property
    def _names(self) -> list[str]:
        return self._table("names").column("name").to_pylist()

    @cached_property
    def _text(self) -> tuple[str, list[int]]:
        """All names, one per line, and the offset of each: searching one text is several times faster than many."""
        return "\n".join(self._names), [0, *accumulate(len(name) + 1 for name in self._names)]

    @cached_property
    def _name_rows(self) -> np.ndarray:
        return self._table("names").column("entity_row").to_numpy()

    @cached_property
    def _rows_by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for name, row in zip(self._names, self._name_rows.tolist(), strict=True):
            found.setdefault(name, []).append(row)
        return found

    @cached_property
    def _edges(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        return _by_entity(self._table("edges"), len(self._rarity))

    @cached_property
    def _entities_by_node(self) -> tuple[np.ndarray, np.ndarray]:
        """The entities of all mentions and their nodes, sorted by node."""
        places = self._table("places")
        nodes, entities = (places.column(name).to_numpy() for name in ("node_row", "entity_row"))
        order = np.argsort(nodes, kind="stable")
        return entities[order].astype(np.int64), nodes[order]

    @cached_property
    def _places(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        return _by_entity(self._table("places"), len(self._rarity))


@dataclass(frozen=True, slots=True)
class _EntityMatches:
    """Entities that match a name or a query."""

    rows: np.ndarray  # (n,) int64
    weights: np.ndarray  # (n,) quality of the match times the rarity of the entity
    most: float  # score of a text that mentions an entity of no other text for every name

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """Bytes of memory of the arrays."""
        return self.rows.nbytes + self.weights.nbytes


def _merge_matches(parts: Sequence[_EntityMatches]) -> _EntityMatches:
    """Return the entities of all parts, each once with its largest weight, heaviest first, up to MOST_ENTITIES."""
    rows = np.concatenate([np.empty(0, np.int64), *(part.rows for part in parts)])
    weights = np.concatenate([np.empty(0), *(part.weights for part in parts)])
    order = np.lexsort((-weights, rows))
    order = order[np.diff(rows[order], prepend=-1) > 0]
    best = order[np.argsort(-weights[order], kind="stable")][:MOST_ENTITIES]
    return _EntityMatches(rows[best], weights[best], sum([part.most for part in parts], 0.0))


def _sum_by_row(rows: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct `rows`, sorted, and the sum of the shares of each.

    >>> [part.tolist() for part in _sum_by_row(np.array([4, 1, 4]), np.array([0.5, 2.0, 0.25]))]
    [[1, 4], [2.0, 0.75]]
    """
    highest = int(rows.max(initial=-1)) + 1
    if highest > _DENSE * len(rows):
        unique, place = np.unique(rows, return_inverse=True)
        return unique.astype(np.int64), np.bincount(place, shares, minlength=len(unique))
    is_there = np.zeros(highest, bool)
    is_there[rows] = True
    found = np.flatnonzero(is_there)
    return found, np.bincount(rows, shares, minlength=highest)[found]


_DENSE = 64  # ratio of the highest row to the number of rows up to which counting beats sorting


def _by_entity(table: pa.Table, entities: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the first row of each entity in a table sorted by its first column, and the columns."""
    columns = {name: table.column(name).to_numpy() for name in table.column_names}
    return np.searchsorted(columns[table.column_names[0]], np.arange(entities + 1)), columns


def _slices(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the table rows of the entities `rows`, and the index of the entity of each.

    >>> [part.tolist() for part in _slices(np.array([0, 2, 3, 6]), np.array([2, 0]))]
    [[3, 4, 5, 0, 1], [0, 0, 0, 1, 1]]
    """
    counts = starts[rows + 1] - starts[rows]
    of = np.repeat(np.arange(len(rows)), counts)
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + starts[rows][of], of
