"""The order of the main vector space: searchable sentences, searchable paragraphs, then all other nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index.row_lookup import rows_of

SEARCHED_KINDS = ("sentence", "paragraph")


@dataclass(frozen=True, slots=True)
class SearchOrder:
    """Which node stands in which row of the main space; its first `sentences + paragraphs` rows are searched."""

    node_ids: pa.Array
    node_rows: np.ndarray  # row of each in the nodes table, int32
    sentences: int
    paragraphs: int

    @property
    def searched(self) -> int:
        """Return the number of leading rows that a search looks at."""
        return self.sentences + self.paragraphs


def search_order(nodes: pa.Table, vectors: pa.Table) -> SearchOrder:
    """Return the main space's order of `nodes` (NODES): the searchable ones, then others that have a vector."""
    sentences, paragraphs = (_searchable_rows(nodes, kind) for kind in SEARCHED_KINDS)
    with_vector = np.sort(rows_of(vectors.column("node_id").combine_chunks(), nodes.column("node_id")))
    others = np.setdiff1d(with_vector[with_vector >= 0], np.concatenate([sentences, paragraphs]))
    rows = np.concatenate([sentences, paragraphs, others]).astype(np.int32)
    node_ids = nodes.column("node_id").combine_chunks().take(pa.array(rows))
    return SearchOrder(node_ids, rows, len(sentences), len(paragraphs))


def document_numbers(nodes: pa.Table) -> np.ndarray:
    """Return the number of the document of every node (nodes,) int32, counted in the order of the nodes."""
    return nodes.column("document_id").combine_chunks().dictionary_encode().indices.to_numpy()


def _searchable_rows(nodes: pa.Table, kind: str) -> np.ndarray:
    is_kind = pc.call_function("equal", [nodes.column("kind"), kind])
    return np.flatnonzero(pc.call_function("and", [nodes.column("searchable"), is_kind]).to_numpy())
