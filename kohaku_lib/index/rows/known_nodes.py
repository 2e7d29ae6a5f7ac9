"""The nodes of a snapshot during writing: lookup by id, and partial reads from their file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from kohaku_lib.index.rows.row_lookup import RowLookup
from kohaku_lib.index.rows.table_rows import TableRows
from kohaku_lib.index.snapshots.arrow_files import map_table


@dataclass(frozen=True, slots=True)
class KnownNodes:
    """The nodes of a snapshot by row and by id; `path` is their file, which is mapped on demand."""

    rows: TableRows
    lookup: RowLookup
    path: Path

    def take(self, rows: np.ndarray, names: Sequence[str]) -> pa.Table:
        """Return columns of the nodes at `rows` (n,); null for a row of -1.

        Reads the whole range of these rows, so they should be close together.
        """
        table = map_table(self.path).select(list(names))
        known = rows >= 0
        low, high = int(rows[known].min(initial=table.num_rows)), int(rows.max(initial=-1)) + 1
        near = table.slice(low, max(0, high - low)).combine_chunks()
        return near.take(pa.array(rows - low, mask=~known))
