"""Row lookup by id, for millions of ids in 12 bytes each."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from kohaku_lib.index.rows.table_rows import TableRows


class RowLookup:
    """Maps the `marks` (n,) of ids to rows; the first row of a duplicate wins.

    >>> import pyarrow as pa
    >>> from kohaku_lib.index.rows.table_rows import InMemoryRows
    >>> known, asked = (marks_of(InMemoryRows(pa.table({"node_id": ids}))) for ids in (["a", "b"], ["b", "x"]))
    >>> RowLookup(known).rows(asked).tolist()
    [1, -1]
    """

    def __init__(self, marks: np.ndarray) -> None:
        self._rows = np.argsort(marks, kind="stable").astype(np.int32)
        self._marks = marks[self._rows]

    def rows(self, marks: np.ndarray) -> np.ndarray:
        """Return the row of each of `marks` (m,) int32; -1 if unknown."""
        if not len(self._marks):
            return np.full(len(marks), -1, np.int32)
        at = np.minimum(np.searchsorted(self._marks, marks), len(self._marks) - 1)
        return np.where(self._marks[at] == marks, self._rows[at], np.int32(-1))

    def add(self, marks: np.ndarray, rows: np.ndarray) -> None:
        """Add new, distinct `marks` (m,) at `rows` (m,).

        >>> lookup = RowLookup(np.array([7, 3]))
        >>> lookup.add(np.array([5]), np.array([2]))
        >>> lookup.rows(np.array([3, 5, 6])).tolist()
        [1, 2, -1]
        """
        order = np.argsort(marks)
        at = np.searchsorted(self._marks, marks[order])
        self._marks, self._rows = np.insert(self._marks, at, marks[order]), np.insert(self._rows, at, rows[order])


def marks_of(rows: TableRows, name: str = "node_id") -> np.ndarray:
    """Return the marks of the ids of the column `name`, (rows,) int64."""
    return np.concatenate([marks_in(batch.column(0)) for batch in rows.select([name]).batches()])


def marks_in(texts: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Return a 64-bit mark for each of `texts`, (n,) int64, valid in this process.

    It is Python's hash, keyed per process: a million texts collide with a probability of one in forty million.
    """
    return np.fromiter(map(hash, texts.to_pylist()), np.int64, len(texts))
