"""Approximate nearest neighbours for millions of vectors: HNSW graphs by usearch (the [ann] extra)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kohaku_lib.errors import SettingsError
from kohaku_lib.index.vectors.top_rows import TopRows, top_rows
from kohaku_lib.install_command import install_command

if TYPE_CHECKING:
    from usearch.index import Index

LINKS, BUILD_WIDTH, SEARCH_WIDTH = 16, 128, 128  # HNSW parameters: connectivity, expansion at build and at search
SAMPLE, RECALL_AT = 200, 10
BLOCK_ROWS = 2**14


class NeighbourGraph:
    """A memory-mapped graph over some rows of a matrix, keyed by row number."""

    def __init__(self, path: Path) -> None:
        self._index: Index = _usearch().Index.restore(str(path), view=True)
        self._index.expansion_search = SEARCH_WIDTH

    def nearest(self, queries: np.ndarray, k: int) -> TopRows:
        """Return approximately the `k` nearest rows of each of `queries` (n, dim), best first, with approximate cosines."""
        rows = np.full((len(queries), k), -1, np.int64)
        scores = np.full((len(queries), k), -np.inf, np.float32)
        if len(queries) and len(self._index):
            found = self._index.search(queries.reshape(-1, queries.shape[1]), k)
            keys, distances = (np.reshape(array, (len(queries), -1)) for array in (found.keys, found.distances))
            known = np.arange(keys.shape[1]) < _counts(found, keys.shape)[:, None]
            rows[:, : keys.shape[1]] = np.where(known, keys.astype(np.int64), -1)
            scores[:, : keys.shape[1]] = np.where(known, 1 - distances, -np.inf)
        return TopRows(rows, scores)


def write_graph(path: Path, vectors: np.ndarray, rows: np.ndarray) -> float | None:
    """Write the graph over `rows` of `vectors` (n, dim) and return its recall@10; None if there are too few rows.

    Recall is measured on a sample of the rows themselves, each excluded from its own neighbours. The build is
    multi-threaded, so two builds differ in a few links. Raises SettingsError if usearch is not installed.
    """
    index = _usearch().Index(
        ndim=vectors.shape[1], metric="ip", dtype="f16", connectivity=LINKS, expansion_add=BUILD_WIDTH
    )
    for start in range(0, len(rows), BLOCK_ROWS):
        keys = rows[start : start + BLOCK_ROWS]
        index.add(keys, vectors[keys])
    index.save(str(path))
    return _recall(NeighbourGraph(path), vectors, rows)


def _recall(graph: NeighbourGraph, vectors: np.ndarray, rows: np.ndarray) -> float | None:
    """Return the share of the ten exact neighbours of a sample of `rows` that `graph` finds; None if there are too few rows."""
    if len(rows) <= RECALL_AT:
        return None
    sample = rows[np.linspace(0, len(rows) - 1, min(SAMPLE, len(rows))).astype(np.int64)]
    queries = vectors[sample]
    allowed = np.zeros(len(vectors), bool)
    allowed[rows] = True
    span = range(len(vectors))
    exact = top_rows(lambda low, high: queries @ vectors[low:high].T, len(queries), RECALL_AT + 1, span, allowed)
    near = graph.nearest(queries, RECALL_AT + 1)
    pairs = zip(sample.tolist(), exact.rows.tolist(), near.rows.tolist(), strict=True)
    return float(
        np.mean(
            [
                len(_neighbours_without(own, truth) & _neighbours_without(own, found)) / RECALL_AT
                for own, truth, found in pairs
            ]
        )
    )


def _neighbours_without(own: int, rows: list[int]) -> set[int]:
    return set([row for row in rows if row != own][:RECALL_AT])


def _counts(found: Any, shape: tuple[int, int]) -> np.ndarray:
    """Return the number of matches per query; usearch omits the counts of a single query."""
    return np.asarray(getattr(found, "counts", [shape[1]])).reshape(-1)


def _usearch() -> Any:
    try:
        import usearch.index as usearch
    except ImportError as error:
        msg = f"vectors.ann = 'usearch' needs usearch; run {install_command('ann')}, or set vectors.ann = 'off'"
        raise SettingsError(msg) from error
    return usearch
