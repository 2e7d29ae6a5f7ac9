"""The table of mentions in a snapshot, with the columns of their nodes that the search needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kohaku_lib.index.rows.known_nodes import KnownNodes
from kohaku_lib.index.rows.row_lookup import hashes_in
from kohaku_lib.index.rows.streamed_tables import stream_table
from kohaku_lib.index.rows.table_rows import TableRows

if TYPE_CHECKING:
    import duckdb

_SCHEMA = pa.schema(
    [
        ("mention_id", pa.int64()),
        ("entity_id", pa.string()),
        ("org_id", pa.string()),
        ("node_id", pa.string()),
        ("node_row", pa.int32()),
        ("parent_node_id", pa.string()),
        ("parent_row", pa.int32()),
        ("document_id", pa.string()),
        ("span_text", pa.string()),
        ("char_start", pa.int32()),
        ("char_end", pa.int32()),
        ("confidence", pa.float32()),
    ]
)
_OF_NODE = {"org_id": "org_id", "parent_id": "parent_node_id", "parent_row": "parent_row"}
_OWN = [name for name in _SCHEMA.names if name not in ("mention_id", "node_row", *_OF_NODE.values())]


def write_mentions(connection: duckdb.DuckDBPyConnection, mentions: TableRows, nodes: KnownNodes) -> None:
    """Write the table entity_mentions: the rows of `mentions` (MENTIONS) in their order, with columns of their nodes.

    Nodes are looked up in Python, as a join takes several times the memory. A mention of an unknown node has nulls in
    these columns.
    """
    stream_table(connection, "entity_mentions", _SCHEMA, _mention_batches(mentions.select(_OWN), nodes))


def _mention_batches(mentions: TableRows, nodes: KnownNodes) -> Iterator[pa.RecordBatch]:
    start = 0
    for batch in mentions.batches():
        node_rows = nodes.lookup.rows(hashes_in(batch.column("node_id")))
        of_nodes = nodes.take(node_rows, list(_OF_NODE)).rename_columns(list(_OF_NODE.values()))
        found = {
            **dict(zip(batch.column_names, batch.columns, strict=True)),
            **dict(zip(of_nodes.column_names, of_nodes.columns, strict=True)),
            "mention_id": pa.array(np.arange(start, start + batch.num_rows)),
            "node_row": pa.array(node_rows, mask=node_rows < 0),
        }
        yield from pa.table([found[name] for name in _SCHEMA.names], schema=_SCHEMA).to_batches()
        start += batch.num_rows
