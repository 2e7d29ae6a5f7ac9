"""Vector normalisation and vector tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from kohaku_lib.tables import vector_schema


def normalized(vectors: np.ndarray, dim: int | None = None) -> np.ndarray:
    """Return `vectors` (n, d) as float32 rows of length 1, truncated to the first `dim` components before.

    A row of zeros or with a non-finite component becomes zero. Rows shorter than `dim` are only
    normalised. Truncating before normalising is Matryoshka truncation (Kusupati et al. 2022,
    https://arxiv.org/abs/2205.13147).

    >>> normalized(np.array([[3.0, 4.0, 12.0], [0.0, 0.0, 1.0]]), dim=2).round(4).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    rows = np.array(vectors[:, :dim], dtype=np.float32)
    rows[~np.isfinite(rows).all(axis=1)] = 0.0
    peaks = np.abs(rows).max(axis=1, initial=0.0)[:, None]
    np.divide(rows, peaks, out=rows, where=peaks > 0)
    lengths = np.linalg.norm(rows, axis=1)[:, None]
    return np.divide(rows, lengths, out=rows, where=lengths > 0)


def vector_table(keys: Sequence[str], vectors: np.ndarray) -> pa.Table:
    """Return a table of `vectors` (n, dim) keyed by `keys`; a zero row has `norm_ok` False.

    >>> vector_table(["a", "b"], np.array([[1.0, 0.0], [0.0, 0.0]], dtype=np.float32)).column("norm_ok").to_pylist()
    [True, False]
    """
    flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).reshape(-1))
    column = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
    return pa.table(
        {"node_id": pa.array(keys, pa.string()), "vector": column, "norm_ok": vectors.any(axis=1)},
        schema=vector_schema(vectors.shape[1]),
    )


def vector_matrix(table: pa.Table) -> np.ndarray:
    """Return the vectors of a vector table as one float32 array (n, dim).

    >>> vector_matrix(vector_table(["a"], np.array([[0.0, 1.0]]))).tolist()
    [[0.0, 1.0]]
    """
    dim = table.schema.field("vector").type.list_size
    chunks = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in table["vector"].chunks]
    flat = np.concatenate(chunks) if chunks else np.empty(0, dtype=np.float32)
    return flat.reshape(-1, dim)
