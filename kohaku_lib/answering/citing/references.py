"""Cited documents against those that exist."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def resolve_refs(refs: Iterable[str], known: Collection[str]) -> tuple[tuple[str, ...], int]:
    """Return the ids of `known` that `refs` cite, in order and each once, and how many cited documents do not exist.

    A node id counts as its document, case does not matter, and ids that share one string are taken apart.

    >>> resolve_refs(["doc:sec1:p2", "DOC", "a, b", "elsewhere"], ["doc", "a", "b"])
    (('doc', 'a', 'b'), 1)
    """
    folded = {form.casefold(): document for document in known for form in (marker_id(document), document)}
    found: dict[str, None] = {}
    dropped: set[str] = set()
    for ref in refs:
        for piece in [ref] if _document(ref, folded) else ref.replace(";", ",").split(","):
            document = _document(piece, folded)
            if document is not None:
                found[document] = None
            elif piece.strip():
                dropped.add(piece.strip())
    return tuple(found), len(dropped)


def marker_id(document_id: str) -> str:
    """Return an id as a prompt shows it: without brackets, so that no id can pass for the markers of others.

    >>> marker_id("a][ref_id=b")
    'a%5D%5Bref_id=b'
    """
    return document_id.replace("[", "%5B").replace("]", "%5D")


def _document(ref: str, folded: dict[str, str]) -> str | None:
    """Return the document that `ref` names, itself or as the first part of a node id."""
    name = ref.strip().casefold()
    return folded.get(name) or folded.get(name.partition(":")[0])
