"""Finds the nodes that nearly repeat a better one, and the documents that they stand in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kohaku_lib.index import Snapshot
from kohaku_lib.text.near_copies import near_copies


def copies_among(snapshot: Snapshot, rows: Sequence[int]) -> dict[int, int]:
    """Return the places in `rows`, of nodes, that nearly repeat an earlier one under the same headings, with its place."""
    headings = snapshot.headings(rows)
    return near_copies([f"{above}\n{snapshot.text(row)}" for row, above in zip(rows, headings, strict=True)])


def documents_of_copies(
    snapshot: Snapshot, rows: Sequence[int], copies: Mapping[int, int]
) -> dict[str, tuple[str, ...]]:
    """Return the further documents of each node with copies in others, by its node_id; `copies` are places in `rows`."""
    names, documents = (snapshot.column(column, rows) for column in ("node_id", "document_id"))
    found: dict[str, dict[str, None]] = {}
    for at, of in copies.items():
        if documents[at] != documents[of]:
            found.setdefault(names[of], {})[documents[at]] = None
    return {name: tuple(others) for name, others in found.items()}
