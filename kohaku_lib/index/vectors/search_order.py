"""The order of the main vector space: searchable sentences, searchable paragraphs, then all other nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index.rows.table_rows import TableRows, flags_of

SEARCHED_KINDS = ("sentence", "paragraph")


@dataclass(frozen=True)
class SearchOrder:
    """The node of each row of the main space; its first `sentences + paragraphs` rows are searched."""

    node_rows: np.ndarray  # rows in the nodes table, int32
    nodes: int  # rows of that table
    sentences: int
    paragraphs: int

    @property
    def searched(self) -> int:
        """The number of searched rows, which come first."""
        return self.sentences + self.paragraphs

    @cached_property
    def place_of_node(self) -> np.ndarray:
        """The row in the main space of each node, (nodes,) int32; -1 if it has none."""
        places = np.full(self.nodes, -1, np.int32)
        places[self.node_rows] = np.arange(len(self.node_rows), dtype=np.int32)
        return places


def search_order(nodes: TableRows, with_vector: np.ndarray) -> SearchOrder:
    """Return the main space's order of `nodes` (NODES): searchable ones, then others with a vector.

    `with_vector` contains the rows of nodes with a vector; negative ones are ignored.
    """
    searchable = flags_of(nodes, "searchable")
    kinds = [_kind_masks(batch) for batch in nodes.select(["kind"]).batches()]
    sentences, paragraphs = (
        np.flatnonzero(searchable & np.concatenate([found[at] for found in kinds])) for at in range(2)
    )
    is_other = np.zeros(nodes.num_rows, bool)
    is_other[with_vector[with_vector >= 0]] = True
    is_other[sentences] = is_other[paragraphs] = False
    rows = np.concatenate([sentences, paragraphs, np.flatnonzero(is_other)]).astype(np.int32)
    return SearchOrder(rows, nodes.num_rows, len(sentences), len(paragraphs))


def document_numbers(nodes: pa.Table) -> np.ndarray:
    """Return the document number of every node (nodes,) int32, by first occurrence.

    >>> document_numbers(pa.table({"document_id": pa.chunked_array([["b", "a"], ["a", "c"]])})).tolist()
    [0, 1, 1, 2]
    """
    encoded = nodes.column("document_id").dictionary_encode()
    return np.concatenate([np.empty(0, np.int32), *(chunk.indices.to_numpy() for chunk in encoded.chunks)])


def section_numbers(nodes: pa.Table) -> np.ndarray:
    """Return the number of the section of every node (nodes,) int32, in their order; a document's is that before it.

    >>> section_numbers(pa.table({"kind": ["document", "section", "paragraph", "section"]})).tolist()
    [0, 0, 0, 1]
    """
    return np.maximum(np.cumsum(_is_section(nodes), dtype=np.int32) - 1, 0, dtype=np.int32)


def section_headings(nodes: pa.Table) -> list[tuple[str, str]]:
    """Return the document and the headings of each section, in the order of their numbers."""
    sections = nodes.select(["document_id", "title"]).filter(pa.array(_is_section(nodes)))
    return list(zip(*(column.to_pylist() for column in sections.columns), strict=True))


def _is_section(nodes: pa.Table) -> np.ndarray:
    return pc.call_function("equal", [nodes.column("kind"), "section"]).to_numpy()


def _kind_masks(batch: pa.Table) -> list[np.ndarray]:
    """Return a row mask for each searched kind."""
    return [
        pc.call_function("equal", [batch.column("kind"), kind]).to_numpy(zero_copy_only=False)
        for kind in SEARCHED_KINDS
    ]
