"""The similarity of passages to a question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kohaku_lib.errors import StoreError
from kohaku_lib.index import Snapshot


def passage_similarities(snapshot: Snapshot, node_ids: Sequence[str], vector: np.ndarray) -> list[float | None]:
    """Return for each node the highest cosine of it and its children to `vector` (dim,).

    None if none has a vector, or the vectors cannot be read, which the search tells.

    Args:
        snapshot: The index of the nodes.
        node_ids: Ids of nodes; unknown ones have no vector.
        vector: A query vector of length 1.

    """
    try:
        vectors = snapshot.vectors()
    except StoreError:
        return [None] * len(node_ids)
    found: list[float | None] = []
    for node_id in node_ids:
        try:
            row = snapshot.row_of(node_id)
        except KeyError:
            found.append(None)
            continue
        searched = snapshot.search_row_of_node[[row, *snapshot.children(row)]]
        searched = searched[searched >= 0]
        found.append(float((vectors[searched] @ vector).max()) if len(searched) else None)
    return found
