"""Propagation of leaf vectors to all nodes above them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.embedding.vectors import normalized, vector_matrix, vector_table
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.tables import StageReport


def propagate(
    nodes: pa.Table, leaves: pa.Table, paragraphs: pa.Table, settings: EmbeddingSettings
) -> tuple[pa.Table, StageReport]:
    """Return a vector for every node of `nodes` that is an embedded leaf or has one below it, in their order.

    Bottom-up, a parent is the normalised mean of its children with a vector, weighted under `weighting` by the characters or
    estimated tokens of the embedded leaf text below them (at least 1). In paragraph mode "full" the direct vectors of
    `paragraphs` replace the averaged ones; sections and documents are always averaged. Children that cancel out yield a zero
    vector with `norm_ok` False, which the report counts as "zero_vectors".

    >>> nodes = pa.table({"node_id": ["d", "d:s1", "d:s2"], "parent_row": [-1, 0, 0], "text": ["", "a", "b"]})
    >>> leaves = vector_table(["d:s1", "d:s2"], np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> table, _ = propagate(nodes, leaves, leaves.slice(0, 0), EmbeddingSettings())
    >>> vector_matrix(table)[0].astype(float).round(4).tolist()
    [0.7071, 0.7071]
    """
    vectors, known = _vectors_by_row(nodes, leaves)
    weights = np.where(known, _leaf_weights(nodes, settings.weighting), 0.0)
    parents = nodes["parent_row"].to_numpy()
    depths = _node_depths(parents)
    # An empty table may have another width: in mode "averaged" it is not rebuilt when the dimensions change.
    is_replacing = settings.paragraph_mode == "full" and paragraphs.num_rows > 0
    direct, has_direct = _vectors_by_row(nodes, paragraphs if is_replacing else leaves.slice(0, 0))
    for depth in range(int(depths.max(initial=0)), -1, -1):
        replaced = has_direct & (depths == depth)
        vectors[replaced], known[replaced] = direct[replaced], True
        rows = np.flatnonzero((depths == depth) & known & (parents >= 0))
        _aggregate_to_parents(vectors, known, weights, rows, parents[rows], weighted=settings.weighting != "none")
    chosen = nodes["node_id"].filter(pa.array(known)).to_pylist()
    table = vector_table(chosen, vectors[known])
    zero = pc.call_function("invert", [table["norm_ok"]])
    return table, StageReport(
        table.num_rows, metrics={"zero_vectors": float(pc.call_function("sum", [zero]).as_py() or 0)}
    )


def parent_means(vectors: np.ndarray, weights: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the normalised weighted mean of each group; (groups, dim) from (n, dim).

    `groups` must be sorted; a group of total weight 0 is averaged with equal weights.

    >>> rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    >>> parent_means(rows, np.array([3.0, 4.0, 1.0]), np.array([5, 5, 7])).round(3).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 1.0]]
    """
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    totals = np.add.reduceat(weights, starts)
    even = np.repeat(totals == 0, np.diff(np.r_[starts, len(groups)]))
    scaled = vectors * np.where(even, 1.0, weights).astype(np.float32)[:, None]
    return normalized(np.add.reduceat(scaled, starts, axis=0))


def _aggregate_to_parents(
    vectors: np.ndarray,
    known: np.ndarray,
    weights: np.ndarray,
    rows: np.ndarray,
    parents: np.ndarray,
    *,
    weighted: bool,
) -> None:
    """Set the vectors of the parents of `rows`, and the sums of the weights below them."""
    if not len(rows):
        return
    order = np.argsort(parents, kind="stable")
    rows, parents = rows[order], parents[order]
    own = np.maximum(weights[rows], 1.0)
    targets, starts = np.unique(parents, return_index=True)
    vectors[targets] = parent_means(vectors[rows], own if weighted else np.ones(len(rows)), parents)
    weights[targets] = np.add.reduceat(own, starts)
    known[targets] = True


def _vectors_by_row(nodes: pa.Table, table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """Return the vectors of `table`, one row per node, and a mask of the nodes that have one."""
    dim = table.schema.field("vector").type.list_size
    vectors = np.zeros((nodes.num_rows, dim), dtype=np.float32)
    known = np.zeros(nodes.num_rows, dtype=bool)
    if table.num_rows and nodes.num_rows:
        places = pc.call_function(
            "index_in", [table["node_id"]], pc.SetLookupOptions(value_set=nodes["node_id"].combine_chunks())
        )
        rows = places.fill_null(-1).to_numpy()
        present = rows >= 0
        vectors[rows[present]] = vector_matrix(table)[present]
        known[rows[present]] = True
    return vectors, known


def _leaf_weights(nodes: pa.Table, weighting: str) -> np.ndarray:
    if weighting == "tokens":
        return nodes["token_count"].to_numpy().astype(np.float64)
    return pc.call_function("utf8_length", [nodes["text"]]).to_numpy().astype(np.float64)


def _node_depths(parents: np.ndarray) -> np.ndarray:
    depths = np.zeros(len(parents), dtype=np.int64)
    above = parents
    while (above >= 0).any():
        depths += above >= 0
        above = np.where(above >= 0, parents[above], -1)
    return depths
