"""The tables of summaries and themes as groups of nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from kohaku_lib.embedding.vectors import vector_matrix
from kohaku_lib.index.groups import write_groups
from kohaku_lib.index.rows.row_lookup import RowLookup


def write_summaries(folder: Path, summaries: pa.Table, leaves: pa.Table, lookup: RowLookup) -> None:
    """Write `summaries` (summaries_schema) with the paragraphs `leaves` (SUMMARY_LEAVES) below each."""
    number = {name: row for row, name in enumerate(summaries["summary_id"].to_pylist())}
    groups = np.array([number[name] for name in leaves["summary_id"].to_pylist()], np.int32)
    members = pa.table({"group": groups, "node_id": leaves["node_id"]})
    write_groups(folder, _facts(summaries), vector_matrix(summaries), members, lookup)


def write_themes(folder: Path, themes: pa.Table, lookup: RowLookup) -> None:
    """Write `themes` (themes_schema) with the leaves of each."""
    node_ids = themes["node_ids"].to_pylist()
    groups = np.repeat(np.arange(len(node_ids), dtype=np.int32), [len(own) for own in node_ids])
    members = pa.table({"group": groups, "node_id": pa.array([name for own in node_ids for name in own], pa.string())})
    write_groups(folder, _facts(themes), vector_matrix(themes), members, lookup)


def _facts(table: pa.Table) -> pa.Table:
    """Return the columns beside the vectors and the members."""
    return table.drop_columns([name for name in ("vector", "node_ids") if name in table.column_names])
