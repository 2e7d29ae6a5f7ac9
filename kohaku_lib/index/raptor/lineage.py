"""The paragraphs below each summary, through all levels."""

from __future__ import annotations

import pyarrow as pa

from kohaku_lib.tables import SUMMARY_LEAVES, StageReport


def summary_leaves(summaries: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return the paragraphs (SUMMARY_LEAVES) of each of `summaries`, in the order of the summaries.

    >>> tree = pa.table({"summary_id": ["s1", "s2"], "level": [1, 2], "child_ids": [["p1", "p2"], ["s1"]]})
    >>> summary_leaves(tree)[0].column("node_id").to_pylist()
    ['p1', 'p2', 'p1', 'p2']
    """
    leaves: dict[str, list[str]] = {}
    columns: dict[str, list[object]] = {name: [] for name in SUMMARY_LEAVES.names}
    for name, level, children in zip(
        *(summaries[column].to_pylist() for column in ("summary_id", "level", "child_ids")), strict=True
    ):
        own = [leaf for child in children for leaf in leaves.get(child, [child])]
        leaves[name] = own
        columns["summary_id"] += [name] * len(own)
        columns["level"] += [level] * len(own)
        columns["node_id"] += own
    table = pa.table(columns, schema=SUMMARY_LEAVES)
    return table, StageReport(table.num_rows)
