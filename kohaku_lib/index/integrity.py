"""What must hold of an index before anyone may ask it: each function returns what breaks its rule."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def duplicate_ids(nodes: pa.Table) -> list[str]:
    """Return the node ids that occur more than once, sorted.

    >>> duplicate_ids(pa.table({"node_id": ["a", "b", "a"]}))
    ['a']
    """
    counts = nodes["node_id"].combine_chunks().value_counts()
    return sorted(row["values"] for row in counts.to_pylist() if row["counts"] > 1)


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


def unembedded_leaves(nodes: pa.Table, vectors: pa.Table) -> list[str]:
    """Return the ids of searchable sentences and paragraphs without a vector, sorted."""
    searchable = nodes.filter(nodes["searchable"])["node_id"]
    return sorted(set(searchable.to_pylist()) - set(vectors["node_id"].to_pylist()))


def off_unit_norms(vectors: pa.Table, tolerance: float = 1e-3) -> list[str]:
    """Return the ids of vectors that are flagged sound (norm_ok) but whose length is not 1, sorted."""
    if vectors.num_rows == 0:
        return []
    column = vectors["vector"].combine_chunks()
    matrix = column.flatten().to_numpy(zero_copy_only=False).reshape(vectors.num_rows, -1)
    norms = np.sqrt(np.einsum("nd,nd->n", matrix, matrix, dtype=np.float64))
    wrong = (np.abs(norms - 1) > tolerance) & vectors["norm_ok"].to_numpy(zero_copy_only=False)
    return sorted(vectors["node_id"].filter(pa.array(wrong)).to_pylist())
