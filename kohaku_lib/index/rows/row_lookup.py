"""Row lookup by id, for millions of ids in 12 bytes each."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from kohaku_lib.index.rows.table_rows import TableRows


class RowLookup:
    """Maps the `hashes` (n,) of ids to rows; the first row of a duplicate wins.

    >>> import pyarrow as pa
    >>> from kohaku_lib.index.rows.table_rows import InMemoryRows
    >>> known, asked = (hashes_of(InMemoryRows(pa.table({"node_id": ids}))) for ids in (["a", "b"], ["b", "x"]))
    >>> RowLookup(known).rows(asked).tolist()
    [1, -1]
    """

    def __init__(self, hashes: np.ndarray) -> None:
        self._rows = np.argsort(hashes, kind="stable").astype(np.int32)
        self._hashes = hashes[self._rows]

    def rows(self, hashes: np.ndarray) -> np.ndarray:
        """Return the row of each of `hashes` (m,) int32; -1 if unknown."""
        if not len(self._hashes):
            return np.full(len(hashes), -1, np.int32)
        at = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        return np.where(self._hashes[at] == hashes, self._rows[at], np.int32(-1))

    def add(self, hashes: np.ndarray, rows: np.ndarray) -> None:
        """Add new, distinct `hashes` (m,) at `rows` (m,).

        >>> lookup = RowLookup(np.array([7, 3]))
        >>> lookup.add(np.array([5]), np.array([2]))
        >>> lookup.rows(np.array([3, 5, 6])).tolist()
        [1, 2, -1]
        """
        order = np.argsort(hashes)
        at = np.searchsorted(self._hashes, hashes[order])
        self._hashes, self._rows = np.insert(self._hashes, at, hashes[order]), np.insert(self._rows, at, rows[order])


def hashes_of(rows: TableRows, name: str = "node_id") -> np.ndarray:
    """Return the hashes of the ids of the column `name`, (rows,) int64."""
    return np.concatenate([hashes_in(batch.column(0)) for batch in rows.select([name]).batches()])


def hashes_in(texts: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Return a 64-bit hash for each of `texts`, (n,) int64, valid in this process.

    It is Python's hash, keyed per process: a million texts collide with a probability of one in forty million.
    """
    return np.fromiter(map(hash, texts.to_pylist()), np.int64, len(texts))
