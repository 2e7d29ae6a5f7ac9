"""The order of the main vector space: searchable sentences, searchable paragraphs, then all other nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index.row_lookup import rows_of
from kohaku_lib.index.table_rows import TableRows, column_of, flags_of

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


def search_order(nodes: TableRows, node_ids: pa.Array, vectors: TableRows) -> SearchOrder:
    """Return the main space's order of `nodes` (NODES): the searchable ones, then others that have a vector.

    `node_ids` (nodes,) are the ids of `nodes`.
    """
    kinds = column_of(nodes, "kind")
    searchable = flags_of(nodes, "searchable")
    sentences, paragraphs = (
        np.flatnonzero(searchable & pc.call_function("equal", [kinds, kind]).to_numpy(zero_copy_only=False))
        for kind in SEARCHED_KINDS
    )
    with_vector = np.sort(rows_of(column_of(vectors, "node_id"), node_ids))
    others = np.setdiff1d(with_vector[with_vector >= 0], np.concatenate([sentences, paragraphs]))
    rows = np.concatenate([sentences, paragraphs, others]).astype(np.int32)
    return SearchOrder(node_ids.take(pa.array(rows)), rows, len(sentences), len(paragraphs))


def document_numbers(nodes: pa.Table) -> np.ndarray:
    """Return the number of the document of every node (nodes,) int32, counted in the order of the nodes."""
    return nodes.column("document_id").combine_chunks().dictionary_encode().indices.to_numpy()
