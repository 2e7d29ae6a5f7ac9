"""The node table while it grows: one list per column, a parent before its children."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from kohaku_lib.digests import text_sha256
from kohaku_lib.tables import NODES
from kohaku_lib.text.token_estimates import estimated_tokens


@dataclass(frozen=True, slots=True)
class Node:
    """One node, less what follows from its parent's row."""

    node_id: str
    kind: str
    ordinal: int
    title: str
    text: str
    page: int | None = None
    bbox: Sequence[float] | None = None
    span: tuple[int, int] | None = None
    modality: str = "text"
    content_type: str = "body"
    searchable: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


class NodeColumns:
    """Columns of the NODES table that rows are appended to.

    >>> columns = NodeColumns("acme", "a")
    >>> columns.add(Node("a", "document", 0, "A", "A"), -1)
    0
    >>> columns.table().column("parent_row").to_pylist()
    [-1]
    """

    def __init__(self, org_id: str, document_id: str) -> None:
        self._org_id, self._document_id = org_id, document_id
        self._columns: dict[str, list[Any]] = {name: [] for name in NODES.names}

    def __len__(self) -> int:
        return len(self._columns["node_id"])

    def add(self, node: Node, parent_row: int) -> int:
        """Append `node` under the row `parent_row` (-1: none) and return its own row."""
        start, end = node.span or (None, None)
        values = {
            "node_id": node.node_id,
            "org_id": self._org_id,
            "document_id": self._document_id,
            "parent_id": self._columns["node_id"][parent_row] if parent_row >= 0 else None,
            "parent_row": parent_row,
            "kind": node.kind,
            "ordinal": node.ordinal,
            "title": node.title,
            "text": node.text,
            "content_sha256": text_sha256(node.text),
            "char_start": start,
            "char_end": end,
            "page": node.page,
            "bbox": node.bbox,
            "modality": node.modality,
            "content_type": node.content_type,
            "searchable": node.searchable,
            "token_count": estimated_tokens(node.text),
            "metadata_json": json.dumps(node.metadata, ensure_ascii=False, default=str),
        }
        for name, value in values.items():
            self._columns[name].append(value)
        return len(self) - 1

    def table(self, first_row: int = 0) -> pa.Table:
        """Return the rows as a NODES table whose parent rows count from `first_row`."""
        rows = [row if row < 0 else row + first_row for row in self._columns["parent_row"]]
        return pa.table({**self._columns, "parent_row": rows}, schema=NODES)
