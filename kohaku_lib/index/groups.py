"""Groups of nodes with a vector each, such as summaries or themes: their files, and the search for the nearest ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from kohaku_lib.index.rows.row_lookup import RowLookup, hashes_of
from kohaku_lib.index.rows.table_rows import rows_in
from kohaku_lib.index.snapshots.arrow_files import map_table, write_table
from kohaku_lib.storage.matrix_files import map_matrix, write_matrix

_VECTORS, _MEMBERS, _FACTS = "vectors.npy", "members.arrow", "groups.arrow"
_MEMBER_SCHEMA = pa.schema([("group", pa.int32()), ("node_row", pa.int32())])


@dataclass(frozen=True, slots=True)
class GroupHits:
    """The nodes in the nearest groups of a query, by row, each with the largest cosine of a group that it is in."""

    node_rows: np.ndarray  # (hits,) int64, sorted
    cosines: np.ndarray  # (hits,)


def write_groups(folder: Path, facts: pa.Table, vectors: np.ndarray, members: pa.Table, lookup: RowLookup) -> None:
    """Write groups into `folder`: a row of `facts` and of `vectors` (groups, dim) each.

    `members` has the columns `group`, a row of `facts`, and `node_id`; unknown nodes are left out.
    """
    folder.mkdir()
    write_table(folder / _FACTS, facts)
    write_matrix(folder / _VECTORS, vectors.shape, np.float32, lambda low, high: vectors[low:high])
    rows = lookup.rows(hashes_of(rows_in(members)))
    groups = members["group"].to_numpy()
    order = np.lexsort((rows, groups))
    order = order[rows[order] >= 0]
    columns = {"group": groups[order].astype(np.int32), "node_row": rows[order].astype(np.int32)}
    write_table(folder / _MEMBERS, pa.table(columns, schema=_MEMBER_SCHEMA))


class GroupIndex:
    """The groups in a folder by `write_groups`, mapped when they are searched. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def facts(self) -> pa.Table:
        """What is known of each group."""
        return map_table(self._folder / _FACTS)

    def nearest(self, query: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the `k` groups nearest to `query` (dim,), best first, and their cosines."""
        cosines = self._vectors @ query
        best = np.argsort(-cosines, kind="stable")[:k]
        return best, cosines[best]

    def search(self, query: np.ndarray, k: int) -> GroupHits:
        """Return the nodes of the `k` groups nearest to `query` (dim,)."""
        groups, cosines = self.nearest(query, k)
        starts, node_rows = self._members
        counts = starts[groups + 1] - starts[groups]
        of = np.repeat(np.arange(len(groups)), counts)
        at = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + starts[groups][of]
        # Groups come best first, so that the first place of a node has its largest cosine.
        rows, first = np.unique(node_rows[at], return_index=True)
        return GroupHits(rows.astype(np.int64), cosines[of[first]].astype(np.float64))

    @cached_property
    def _vectors(self) -> np.ndarray:
        return map_matrix(self._folder / _VECTORS)

    @cached_property
    def _members(self) -> tuple[np.ndarray, np.ndarray]:
        members = map_table(self._folder / _MEMBERS)
        groups, rows = (members.column(name).to_numpy() for name in ("group", "node_row"))
        return np.searchsorted(groups, np.arange(len(self._vectors) + 1)), rows
