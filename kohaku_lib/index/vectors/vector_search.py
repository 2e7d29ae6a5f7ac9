"""Nearest-neighbour search in one vector space: by scan or graph, with exact final scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kohaku_lib.index.snapshots.snapshot_files import graph_path, matrix_path
from kohaku_lib.index.vectors.ann import NeighbourGraph, write_graph
from kohaku_lib.index.vectors.scans import Scan, dot_products, open_scan, write_scan
from kohaku_lib.index.vectors.search_order import SEARCHED_KINDS, SearchOrder
from kohaku_lib.index.vectors.top_rows import TopRows, top_rows
from kohaku_lib.settings import VectorsSettings
from kohaku_lib.storage.matrix_files import map_matrix


class VectorSearch:
    """Cosine search over the vectors of a space. Thread-safe."""

    def __init__(
        self, vectors: np.ndarray, scan: Scan, graphs: Mapping[range, NeighbourGraph], norm_ok: np.ndarray
    ) -> None:
        self._vectors, self._scan, self._graphs = vectors, scan, graphs
        self._norm_ok = None if norm_ok.all() else norm_ok

    def top(
        self, queries: np.ndarray, k: int, span: range, *, allowed: np.ndarray | None = None, rescore: int = 1
    ) -> TopRows:
        """Return the `k` rows of `span` nearest to each of `queries` (n, dim, normalised), by cosine.

        Zero vectors and rows excluded by `allowed` (over all rows, bool; None: all) are never returned. With a quantised scan or
        a graph, `rescore` · k candidates are rescored in float32. Scores do not depend on the batch. Graphs do not support
        filters, so `allowed` implies a scan.
        """
        if allowed is None and span in self._graphs:
            return self._rescored(queries, self._graphs[span].nearest(queries, k * rescore), k)
        mask = self._norm_ok if allowed is None else allowed & (True if self._norm_ok is None else self._norm_ok)
        candidates = self._scan.candidates(len(queries), k, rescore)
        found = top_rows(self._scan.scorer(queries), len(queries), candidates or k, span, mask)
        return self._rescored(queries, found, k) if candidates else found

    def _rescored(self, queries: np.ndarray, found: TopRows, k: int) -> TopRows:
        rows = np.sort(found.rows, axis=1)  # so that ties are ordered by row
        scores = np.full(rows.shape, -np.inf, np.float32)
        for query, own_rows, own_scores in zip(queries, rows, scores, strict=True):
            known = own_rows >= 0
            own_scores[known] = dot_products(self._vectors[own_rows[known]], query[None])[0]
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return TopRows(np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1))


def write_search_files(
    folder: Path, order: SearchOrder, norm_ok: np.ndarray, settings: VectorsSettings
) -> dict[str, float]:
    """Write the quantised copy and the graphs of the main space's searched rows; return the recall@10 of each graph.

    The vectors must be in `folder` already.
    """
    vectors = map_matrix(matrix_path(folder, "main"))[: order.searched]
    write_scan(folder, "main", vectors, settings.precision)
    recalls: dict[str, float] = {}
    for kind, span in kind_spans(order.sentences, order.searched).items() if settings.ann != "off" else ():
        rows = span.start + np.flatnonzero(norm_ok[span.start : span.stop])
        recall = write_graph(graph_path(folder, kind, settings.ann), vectors, rows)
        if recall is not None:
            recalls[f"ann_recall_at_10_{kind}"] = recall
    return recalls


def open_search(folder: Path, sentences: int, norm_ok: np.ndarray, settings: VectorsSettings) -> VectorSearch:
    """Open the search over the searched rows of the main space; `norm_ok` (searched,)."""
    vectors = map_matrix(matrix_path(folder, "main"))[: len(norm_ok)]
    scan = open_scan(folder, "main", vectors, settings.precision)
    spans = kind_spans(sentences, len(norm_ok)) if settings.ann != "off" else {}
    graphs = {span: NeighbourGraph(graph_path(folder, kind, settings.ann)) for kind, span in spans.items()}
    return VectorSearch(vectors, scan, graphs, norm_ok)


def kind_spans(sentences: int, searched: int) -> dict[str, range]:
    """Return the searched rows of each kind.

    >>> kind_spans(8, 13)
    {'sentence': range(0, 8), 'paragraph': range(8, 13)}
    """
    return dict(zip(SEARCHED_KINDS, (range(sentences), range(sentences, searched)), strict=True))
