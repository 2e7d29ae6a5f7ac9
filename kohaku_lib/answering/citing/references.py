"""Resolve cited references to existing documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def resolve_refs(refs: Iterable[str], known: Collection[str]) -> tuple[tuple[str, ...], int]:
    """Return the distinct ids of `known` that `refs` cite, in order, and the number of unknown references.

    A node id resolves to its document, case is ignored, and several ids in one string are split.

    >>> resolve_refs(["doc:sec1:p2", "DOC", "a, b", "elsewhere"], ["doc", "a", "b"])
    (('doc', 'a', 'b'), 1)
    """
    folded = {form.casefold(): document for document in known for form in (marker_id(document), document)}
    found: dict[str, None] = {}
    dropped: set[str] = set()
    for ref in refs:
        for piece in [ref] if _resolve_document(ref, folded) else ref.replace(";", ",").split(","):
            document = _resolve_document(piece, folded)
            if document is not None:
                found[document] = None
            elif piece.strip():
                dropped.add(piece.strip())
    return tuple(found), len(dropped)


def marker_id(document_id: str) -> str:
    """Return an id as shown in a prompt: brackets are escaped, so that no id can imitate another marker.

    >>> marker_id("a][ref_id=b")
    'a%5D%5Bref_id=b'
    """
    return document_id.replace("[", "%5B").replace("]", "%5D")


def _resolve_document(ref: str, folded: dict[str, str]) -> str | None:
    """Return the document that `ref` names, directly or as the first part of a node id."""
    name = ref.strip().casefold()
    return folded.get(name) or folded.get(name.partition(":")[0])
