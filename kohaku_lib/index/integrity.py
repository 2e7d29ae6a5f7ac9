"""Integrity checks of an index before publication: each function returns the violations of one rule."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index.rows.row_lookup import hashes_of
from kohaku_lib.index.rows.table_rows import TableRows


def duplicate_ids(nodes: TableRows) -> list[str]:
    """Return the node ids that occur more than once, sorted, in eight bytes of memory per id.

    >>> from kohaku_lib.index.rows.table_rows import InMemoryRows
    >>> duplicate_ids(InMemoryRows(pa.table({"node_id": ["a", "b", "a"]})))
    ['a']
    """
    hashes = np.sort(hashes_of(nodes))
    doubtful = set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
    if not doubtful:
        return []
    batches = nodes.select(["node_id"]).batches()
    ids = (one for batch in batches for one in batch.column(0).to_pylist() if hash(one) in doubtful)
    return sorted(one for one, times in Counter(ids).items() if times > 1)


def orphans(nodes: pa.Table) -> list[str]:
    """Return the ids of nodes whose parent id is not a node, sorted.

    >>> orphans(pa.table({"node_id": ["a", "a:sec1"], "parent_id": pa.array([None, "b"], pa.string())}))
    ['a:sec1']
    """
    known = pc.call_function(
        "is_in", [nodes["parent_id"]], pc.SetLookupOptions(nodes["node_id"].combine_chunks(), skip_nulls=True)
    )
    lost = pc.call_function("and", [pc.call_function("invert", [known]), nodes["parent_id"].is_valid()])
    return sorted(nodes["node_id"].filter(lost).to_pylist())


def leaves_without(nodes: pa.Table, rows: pa.Table) -> list[str]:
    """Return the ids of searchable sentences and paragraphs without a row in a table of vectors or terms, sorted."""
    searchable = nodes.filter(nodes["searchable"])["node_id"]
    return sorted(set(searchable.to_pylist()) - set(rows["node_id"].to_pylist()))


def rows_without_leaf(nodes: pa.Table, rows: pa.Table) -> list[str]:
    """Return the ids in a table of terms that no searchable sentence or paragraph has, sorted.

    >>> rows_without_leaf(pa.table({"node_id": ["a", "b"], "searchable": [True, False]}), pa.table({"node_id": ["a", "b"]}))
    ['b']
    """
    searchable = nodes.filter(nodes["searchable"])["node_id"]
    return sorted(set(rows["node_id"].to_pylist()) - set(searchable.to_pylist()))


def off_unit_norms(vectors: pa.Table, tolerance: float = 1e-3) -> list[str]:
    """Return the ids of vectors with norm_ok whose length is not 1, sorted."""
    if vectors.num_rows == 0:
        return []
    column = vectors["vector"].combine_chunks()
    matrix = column.flatten().to_numpy(zero_copy_only=False).reshape(vectors.num_rows, -1)
    norms = np.sqrt(np.einsum("nd,nd->n", matrix, matrix))
    wrong = ~(np.abs(norms - 1) <= tolerance) & vectors["norm_ok"].to_numpy(zero_copy_only=False)
    return sorted(vectors["node_id"].filter(pa.array(wrong)).to_pylist())
