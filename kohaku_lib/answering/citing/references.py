"""Resolve cited references to existing documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def resolve_refs(refs: Iterable[str], document_ids: Collection[str]) -> tuple[tuple[str, ...], int]:
    """Return the distinct ids among `document_ids` that `refs` cite, in order, and the number of unknown references.

    A node id resolves to its document, case is ignored, and several ids in one string are split.

    >>> resolve_refs(["doc:sec1:p2", "DOC", "a, b", "elsewhere"], ["doc", "a", "b"])
    (('doc', 'a', 'b'), 1)
    """
    document_by_name = {
        form.casefold(): document for document in document_ids for form in (marker_id(document), document)
    }
    resolved_refs: dict[str, None] = {}
    unknown_refs: set[str] = set()
    for ref in refs:
        for piece in [ref] if _resolve_document(ref, document_by_name) else ref.replace(";", ",").split(","):
            document = _resolve_document(piece, document_by_name)
            if document is not None:
                resolved_refs[document] = None
            elif piece.strip():
                unknown_refs.add(piece.strip())
    return tuple(resolved_refs), len(unknown_refs)


def named_nodes(refs: Iterable[str], node_ids: Iterable[str]) -> tuple[str, ...]:
    """Return those of `node_ids` that `refs` name, in the order of `node_ids`; case is ignored.

    >>> named_nodes(["doc:sec1:p2", "doc"], ["doc:sec1:p1", "Doc:sec1:p2"])
    ('Doc:sec1:p2',)
    """
    names = {piece.strip().casefold() for ref in refs for piece in (ref, *ref.replace(";", ",").split(","))}
    return tuple(node_id for node_id in node_ids if names & {node_id.casefold(), marker_id(node_id).casefold()})


def marker_id(document_id: str) -> str:
    """Return an id as shown in a prompt: brackets are escaped, so that no id can imitate another marker.

    >>> marker_id("a][ref_id=b")
    'a%5D%5Bref_id=b'
    """
    return document_id.replace("[", "%5B").replace("]", "%5D")


def _resolve_document(ref: str, document_by_name: dict[str, str]) -> str | None:
    """Return the document that `ref` names, directly or as the first part of a node id."""
    name = ref.strip().casefold()
    return document_by_name.get(name) or document_by_name.get(name.partition(":")[0])
