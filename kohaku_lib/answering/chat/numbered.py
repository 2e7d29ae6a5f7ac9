"""The excerpts that a reply cites by their numbers in the prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kohaku_lib.tables import Snippet, StructuredAnswer
from kohaku_lib.text.word_lists import words


def with_numbers_read(answer: StructuredAnswer, shown: Sequence[Snippet]) -> StructuredAnswer:
    """Return `answer` with the documents and nodes of the excerpts whose numbers it cites, from 1 in the order of `shown`.

    A title that one document alone has is read too. Anything else stays as it is: an id, or what exists nowhere.

    >>> shown = [Snippet("a:p1", "a", "Rules", 1, "Ten.", 1, 1.0), Snippet("b:p1", "b", "Prices", 1, "Nine.", 2, 0.9)]
    >>> read = with_numbers_read(StructuredAnswer("9", "9", ("[2]", "excerpt 7", "Rules"), ""), shown)
    >>> read.ref_id, read.cited_nodes
    (('b', 'excerpt 7', 'a'), ('b:p1',))
    """
    refs: dict[str, None] = {}
    nodes: dict[str, None] = {}
    for ref in answer.ref_id:
        numbers = _numbers_in(ref)
        if numbers and all(1 <= number <= len(shown) for number in numbers):
            cited = [shown[number - 1] for number in numbers]
            refs.update(dict.fromkeys(one.document_id for one in cited))
            nodes.update(dict.fromkeys(one.node_id for one in cited))
        else:
            refs[_document_called(ref, shown) or ref] = None
    return replace(answer, ref_id=tuple(refs), cited_nodes=tuple(nodes))


def _numbers_in(ref: str) -> list[int]:
    """Return the numbers of a reference: it begins with one in brackets, or holds nothing but numbers and what they count."""
    marked = _MARKED.match(ref) or _LISTED.fullmatch(ref)
    if marked is not None:
        return _listed(marked[0])
    told = re.findall(r"[\w.]+", ref.casefold().rstrip("."))
    is_counting = all(_SHORT_NUMBER.fullmatch(word) or word in _COUNTED for word in told)
    return [int(word) for word in told if word.isdecimal()] if is_counting else []


def _document_called(ref: str, shown: Sequence[Snippet]) -> str | None:
    name = _folded(ref)
    found = {one.document_id for one in shown if name and name in (_folded(one.document_title), _folded(one.place))}
    return next(iter(found)) if len(found) == 1 else None


def _folded(name: str) -> str:
    return " ".join(name.casefold().strip(" ()[]'\"").split())


def _listed(text: str) -> list[int]:
    """Return the numbers of a list, with those between the ends of a range.

    >>> _listed("[1-3] and [7, 9]")
    [1, 2, 3, 7, 9]
    """
    ranges = [(int(low), int(high or low)) for low, high in re.findall(r"(\d+)(?:\s*[-–]\s*(\d+))?", text)]
    return [number for low, high in ranges for number in range(low, high + 1)]


_SPANS = r"\d{1,3}(?:\s*[-–,;]\s*\d{1,3})*"
_MARKED = re.compile(rf"\s*(?:\[\s*{_SPANS}\s*\][\s,;]*(?:(?:and|und|&)\s+(?=\[))?)+", re.IGNORECASE)
_LISTED = re.compile(rf"\s*{_SPANS}\s*")
_SHORT_NUMBER = re.compile(r"[0-9]{1,3}")
_COUNTED = words("and excerpt excerpts source sources document documents number no ref ref_id id")
