"""Conversion of KohakuRAG's node records to the table of nodes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from kohaku_lib.index.kohakuvault.vault_file import as_mapping
from kohaku_lib.tables import NODES
from kohaku_lib.tree.content_type import content_type
from kohaku_lib.tree.node_columns import Node, NodeColumns
from kohaku_lib.tree.page_boxes import bbox_of, page_of

KINDS = ("document", "section", "paragraph", "sentence")


@dataclass(slots=True)
class _Record:
    """A decoded node record."""

    node_id: str
    kind: str
    title: str
    text: str
    parent_id: str | None
    child_ids: list[str]
    metadata: dict[str, Any]
    children: list[_Record] = field(default_factory=list)


def vault_nodes(items: Sequence[tuple[str, Any]], org_id: str) -> tuple[pa.Table, list[str]]:
    """Return the NODES of KohakuRAG's key-value records, and one problem per kind of skipped record.

    Children are in the order of their parent's list, else sorted by the numbers in their ids. Records that are not nodes,
    nodes of unknown kinds, and nodes without a document as ancestor are skipped.
    """
    records = {record.node_id: record for key, value in items if (record := _record(key, value))}
    roots = _linked(records)
    tables = [_document(root, org_id) for root in roots]
    placed, nodes = 0, []
    for columns in tables:
        nodes.append(columns.table(placed))
        placed += len(columns)
    problems = []
    if len(records) < len(items):
        problems.append(f"{len(items) - len(records)} unreadable node records are skipped")
    if placed < len(records):
        problems.append(f"{len(records) - placed} nodes without a document as ancestor are skipped")
    return pa.concat_tables([NODES.empty_table(), *nodes]).combine_chunks(), problems


def _record(key: str, value: Any) -> _Record | None:
    fields = as_mapping(value)
    kind = str((fields or {}).get("kind", "")).rpartition(".")[2].lower()  # e.g. "NodeKind.SECTION" of an enumeration
    if fields is None or kind not in KINDS:
        return None
    parent = fields.get("parent_id")
    return _Record(
        node_id=str(fields.get("node_id") or key),
        kind=kind,
        title=str(fields.get("title") or ""),
        text=str(fields.get("text") or ""),
        parent_id=str(parent) if parent and kind != "document" else None,
        child_ids=[str(child) for child in fields.get("child_ids") or ()],
        metadata=as_mapping(fields.get("metadata")) or {},
    )


def _linked(records: Mapping[str, _Record]) -> list[_Record]:
    """Set the ordered children of each record and return the documents."""
    for record in records.values():
        parent = records.get(record.parent_id or "")
        if parent is not None and KINDS.index(parent.kind) < KINDS.index(record.kind):
            parent.children.append(record)
    for record in records.values():
        place = {child: at for at, child in enumerate(record.child_ids)}
        record.children.sort(key=lambda child: (place.get(child.node_id, len(place)), _numbers(child.node_id)))
    return sorted((r for r in records.values() if r.kind == "document"), key=lambda record: record.node_id)


def _document(root: _Record, org_id: str) -> NodeColumns:
    columns = NodeColumns(org_id, root.node_id)
    _add(columns, root, -1, 0, root.title)
    return columns


def _add(
    columns: NodeColumns, record: _Record, parent_row: int, ordinal: int, title: str, parent_text: str = ""
) -> None:
    title = record.title if record.kind in KINDS[:2] and record.title else title
    leaf = record.kind in KINDS[2:]
    node = Node(
        record.node_id,
        record.kind,
        ordinal,
        title,
        record.text,
        page=page_of(record.metadata),
        bbox=bbox_of(record.metadata),
        span=_span(record, parent_text),
        modality="image_caption" if record.metadata.get("attachment_type") == "image" else "text",
        content_type=content_type(record.text, title) if leaf else "body",
        searchable=leaf and bool(record.text.strip()),
        metadata=record.metadata,
    )
    row = columns.add(node, parent_row)
    for at, child in enumerate(record.children):
        _add(columns, child, row, at, title, record.text)


def _span(record: _Record, parent_text: str) -> tuple[int, int] | None:
    start = parent_text.find(record.text) if record.kind == "sentence" and record.text else -1
    return (start, start + len(record.text)) if start >= 0 else None


def _numbers(node_id: str) -> list[tuple[int, str]]:
    """Return a natural sort key: p2 before p10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", node_id)]
