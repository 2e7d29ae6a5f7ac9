"""Nodes and vectors as immutable snapshots: written and published atomically, opened by many readers."""

from kohaku_lib.index.bm25.tokenising import build_lexical, tokenise
from kohaku_lib.index.filters import SearchFilter, check_named
from kohaku_lib.index.graph import extract_mentions
from kohaku_lib.index.snapshots.pin import pin, pinned, unpin
from kohaku_lib.index.snapshots.snapshot import Snapshot, open_snapshot
from kohaku_lib.index.snapshots.snapshot_checks import snapshot_damage
from kohaku_lib.index.snapshots.snapshot_writing import IndexTables, write_snapshot
from kohaku_lib.index.snapshots.versions import (
    SnapshotInfo,
    current_version,
    list_snapshots,
    pointer_damage,
    prune,
    publish,
    roll_back,
)
from kohaku_lib.index.tenants import is_of_tenant, tenant_counts, tenant_documents, tenant_node, tenant_nodes

__all__ = [
    "IndexTables",
    "SearchFilter",
    "Snapshot",
    "SnapshotInfo",
    "build_lexical",
    "check_named",
    "current_version",
    "extract_mentions",
    "is_of_tenant",
    "list_snapshots",
    "open_snapshot",
    "pin",
    "pinned",
    "pointer_damage",
    "prune",
    "publish",
    "roll_back",
    "snapshot_damage",
    "tenant_counts",
    "tenant_documents",
    "tenant_node",
    "tenant_nodes",
    "tokenise",
    "unpin",
    "write_snapshot",
]
