"""The box of a node on one of the pages that it stands on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from kohaku_lib.index.snapshots.snapshot import Snapshot


def box_on_page(snapshot: Snapshot, node_id: str, page: int | None) -> tuple[float, float, float, float] | None:
    """Return [x0, y0, x1, y1] of what stands on `page` of a node: that of its parts there, else of its children.

    None where the node has no box on that page; raises KeyError for an unknown node.
    """
    row = snapshot.row_of(node_id)
    boxes = list(_boxes_on_page(snapshot, [row], page)) or list(_boxes_on_page(snapshot, snapshot.children(row), page))
    if not boxes:
        return None
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _boxes_on_page(snapshot: Snapshot, rows: Sequence[int], page: int | None) -> Iterator[Sequence[float]]:
    columns = (snapshot.column(name, rows) for name in ("page", "bbox", "metadata_json"))
    for own, box, metadata in zip(*columns, strict=True):
        if own == page and box is not None:
            yield box
        elif own != page:
            parts = json.loads(metadata).get("boxes") if '"boxes"' in metadata else None
            yield from (part[1:] for part in parts or () if part[0] == page)
