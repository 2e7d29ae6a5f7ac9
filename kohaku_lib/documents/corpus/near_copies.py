"""Finds documents that nearly repeat another one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kohaku_lib.text.shingles import shared_share

_LEAST_SHARED = 0.9  # of the shingles of two documents
_COMPARED = 16  # smallest hashes, of which near-copies share nearly all
_LEAST_COMPARED = 0.7
_MOST_NAMES = 50  # that a hash is kept for: a sentence of many documents tells none apart


def near_copies_of(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """Return the documents that share at least 0.9 of their shingles with another one, by organisation and id, with its id.

    The other one is no near-copy itself; of two alike it is the one highest up with the shortest name. Documents of
    different organisations are not compared. `rows` have the columns `document_id`, `org_id`, `path` and
    `sketch`, which older tables lack.

    >>> from kohaku_lib.text.shingles import sketch_of
    >>> words = [f"word{number}" for number in range(44)]
    >>> texts = {"new/fares.md": words, "fares.md": words[4:], "other.md": words[22:]}
    >>> rows = [{"document_id": path[:-3], "org_id": "acme", "path": path, "sketch": sketch_of(" ".join(text)).tobytes().hex()}
    ...         for path, text in texts.items()]
    >>> near_copies_of(rows)
    {('acme', 'new/fares'): 'fares'}
    """
    preferred = sorted(rows, key=lambda row: (row["path"].count("/"), len(row["path"]), row["path"]))
    originals: dict[tuple[str, str], np.ndarray] = {}
    names_by_hash: defaultdict[tuple[str, int], list[tuple[str, str]]] = defaultdict(list)
    original_of: dict[tuple[str, str], str] = {}
    for row in preferred:
        own = row["org_id"], row["document_id"]
        sketch = np.frombuffer(bytes.fromhex(row.get("sketch") or ""), np.uint64)
        keys = [(row["org_id"], number) for number in sketch[:_COMPARED].tolist()]
        alike = Counter(name for key in keys for name in names_by_hash[key])
        likely = (name for name, count in alike.most_common() if count >= _LEAST_COMPARED * len(keys))
        first = next((name for name in likely if shared_share(originals[name], sketch) >= _LEAST_SHARED), None)
        if first is not None:
            original_of[own] = first[1]
            continue
        originals[own] = sketch
        for key in keys:
            if len(names_by_hash[key]) < _MOST_NAMES:
                names_by_hash[key].append(own)
    return original_of
