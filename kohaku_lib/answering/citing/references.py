"""Resolve cited references to existing documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from kohaku_lib.text.equal_signs import equal_words


def resolve_refs(refs: Iterable[str], document_ids: Collection[str]) -> tuple[tuple[str, ...], int]:
    """Return the distinct ids among `document_ids` that `refs` cite, in order, and the number of unknown references.

    A node id resolves to its document, and several ids in one string are split. Another case, brackets around it, and the
    ending of a file that only one of both has are accepted where one document alone can be meant.

    >>> resolve_refs(["doc:sec1:p2", "DOC", "a, b", "elsewhere"], ["doc", "a", "b"])
    (('doc', 'a', 'b'), 1)
    >>> resolve_refs(["Case.md", "CASE.MD"], ["Case.md", "case.md"])
    (('Case.md',), 1)
    >>> resolve_refs(["[Report.pdf]", "(price-list)"], ["report", "price-list.csv", "prices"])
    (('report', 'price-list.csv'), 0)
    """
    names = _Names(document_ids)
    resolved_refs: dict[str, None] = {}
    unknown_refs: set[str] = set()
    for ref in refs:
        for piece in [ref] if names.document(ref) else ref.replace(";", ",").split(","):
            document = names.document(piece)
            if document is not None:
                resolved_refs[document] = None
            elif piece.strip():
                unknown_refs.add(piece.strip())
    return tuple(resolved_refs), len(unknown_refs)


def named_nodes(refs: Iterable[str], node_ids: Collection[str]) -> tuple[str, ...]:
    """Return those of `node_ids` that `refs` name, in the order of `node_ids`; another case as in `resolve_refs`.

    >>> named_nodes(["doc:sec1:p2", "doc"], ["doc:sec1:p1", "Doc:sec1:p2"])
    ('Doc:sec1:p2',)
    """
    names = _Names(node_ids)
    named = {names.find(piece.strip()) for ref in refs for piece in (ref, *ref.replace(";", ",").split(","))}
    return tuple(node_id for node_id in node_ids if node_id in named)


def marker_id(document_id: str) -> str:
    """Return an id as shown in a prompt: brackets are escaped, so that no id can imitate another marker.

    >>> marker_id("a][ref_id=b")
    'a%5D%5Bref_id=b'
    """
    return document_id.replace("[", "%5B").replace("]", "%5D")


class _Names:
    """Ids by the names that stand for them: the id itself, else its marker, else either in another case if one id has it.

    Else without brackets and the ending of a file.
    """

    def __init__(self, ids: Collection[str]) -> None:
        self._readings = [(_unique(ids, read), as_read) for read, as_read in _READINGS]

    def find(self, name: str) -> str | None:
        """Return the id that `name` stands for; None if it stands for none or several."""
        return next((found for ids, as_read in self._readings if (found := ids.get(as_read(name)))), None)

    def document(self, ref: str) -> str | None:
        """Return the document that `ref` names, directly or as the first parts of a node id."""
        return next((found for name in _prefixes(ref.strip()) if (found := self.find(name))), None)


def _unique(ids: Iterable[str], read: Callable[[str], str]) -> dict[str, str]:
    readings: dict[str, set[str]] = {}
    for one in ids:
        readings.setdefault(read(one), set()).add(one)
    return {reading: next(iter(found)) for reading, found in readings.items() if len(found) == 1}


def _folded_marker(document_id: str) -> str:
    return equal_words(marker_id(document_id))


def _bare(name: str) -> str:
    return _ENDING.sub("", equal_words(name).strip(_EDGES))


def _prefixes(name: str) -> Iterator[str]:
    """Yield a name, then what is left of it without its last part, and so on."""
    while name:
        yield name
        name = name.rpartition(":")[0]


_EDGES = "[](){}<>\"'` "
_ENDING = re.compile(r"\.[a-z]{2,4}\d?$")  # of a file; one letter and a digit is a version
_READINGS: tuple[
    tuple[Callable[[str], str], Callable[[str], str]], ...
] = (  # of an id, and of a name that stands for it
    (str, str),
    (marker_id, str),
    (equal_words, equal_words),
    (_folded_marker, equal_words),
    (_bare, _bare),
)
