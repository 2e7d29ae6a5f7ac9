"""Which snippets open their document: what it is about is often said only there."""

from __future__ import annotations

import re


def opens_document(node_id: str) -> bool:
    """Return whether a node is one of the first paragraphs of its document; ids count from 1, or from 0 (`tree.id_base`).

    >>> opens_document("policy:sec1:p2"), opens_document("policy:sec2:p1")
    (True, False)
    """
    return _FIRST_PARAGRAPHS.search(node_id) is not None


_FIRST_PARAGRAPHS = re.compile(r":sec(?:1:p[1-3]|0:p[0-2])$")
