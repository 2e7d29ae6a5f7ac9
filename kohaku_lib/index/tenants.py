"""The parts of an index that belong to one tenant, for access other than by search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index.snapshots.snapshot import Snapshot
from kohaku_lib.storage.tenant_sql import tenant_condition


def tenant_documents(snapshot: Snapshot, org_id: str) -> pa.Table:
    """Return the documents (DOCUMENTS) of the tenant `org_id`."""
    return snapshot.documents.filter(pc.field("org_id") == org_id)


def is_of_tenant(snapshot: Snapshot, org_id: str) -> np.ndarray:
    """Return which nodes belong to the tenant `org_id`, (nodes,) bool."""
    return np.asarray(pc.call_function("equal", [snapshot.nodes.column("org_id"), org_id]).to_numpy(), bool)


def tenant_node(snapshot: Snapshot, org_id: str, node_id: str) -> dict[str, Any] | None:
    """Return one node of the tenant `org_id`; None if it has no such node."""
    try:
        [node] = snapshot.get_nodes([node_id])
    except KeyError:
        return None
    return node if node["org_id"] == org_id else None


def tenant_nodes(snapshot: Snapshot, org_id: str, columns: list[str]) -> pa.Table:
    """Return `columns` of the nodes of the tenant `org_id`, in the order of the index."""
    own, nodes = is_of_tenant(snapshot, org_id), snapshot.nodes.select(columns)
    return nodes if own.all() else nodes.filter(pa.array(own))


def tenant_counts(snapshot: Snapshot, org_id: str) -> dict[str, int]:
    """Return the tenant's row count of every table, and of every vector space as `vectors.<space>`."""
    counts: dict[str, int] = snapshot.meta["counts"]
    if is_of_tenant(snapshot, org_id).all():
        return counts
    names = [name for name in counts if not name.startswith("vectors.")]
    sources = {name: name for name in names}
    found: dict[str, int] = {}
    with snapshot.connect() as connection:
        for name in names:
            columns = [row[0] for row in connection.execute(f"DESCRIBE {name}").fetchall()]
            own = f"FROM {name} WHERE {tenant_condition(columns, org_id, sources)}"
            found[name] = _number(connection.execute(f"SELECT count(*) {own}").fetchone())
            if name == "node_vectors":
                spaces = connection.execute(f"SELECT 'vectors.' || space, count(*) {own} GROUP BY 1 ORDER BY 1")
                found |= dict(spaces.fetchall())
    return found


def _number(row: tuple[int, ...] | None) -> int:
    return row[0] if row else 0
