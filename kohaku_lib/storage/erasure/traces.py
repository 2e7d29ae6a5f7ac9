"""What gives away a document in other data: its id, its texts as they are, and runs of words that no other document has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

RUN_WORDS = 5  # so many in a row are a quotation
LEAST_WORDS = 3  # of a text that gives the document away as the whole of a cell
ERASED = "[erased]"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"  # scripts that part no words by blanks
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|[nrtbf\"/])")
Run = tuple[str, ...]


class Traces:
    r"""The traces of the documents `document_ids` with `texts`, less what `others`, the documents that stay, have too.

    >>> texts = ["Amber floats in salt water but sinks in fresh water."]
    >>> traces = Traces(frozenset({"guide"}), texts, ["It floats in salt water."])
    >>> traces.is_held("They say that amber FLOATS in salt\\nwater, but"), traces.is_held("It floats in salt water.")
    (True, False)
    >>> traces.is_held("guide:sec1:p2"), traces.is_held('{"ref_id": ["guide"]}'), traces.is_held("a guide: for all")
    (True, True, False)
    """

    def __init__(self, document_ids: frozenset[str], texts: Iterable[str], others: Iterable[str]) -> None:
        own, theirs = set(texts), set(others)
        self.document_ids = document_ids
        self._texts = {text for text in own - theirs if len(_WORD.findall(text)) >= LEAST_WORDS}
        self._runs = {run for text in own for run in _runs(text)} - {run for text in theirs for run in _runs(text)}
        name = f"(?:{'|'.join(map(re.escape, sorted(document_ids)))})"
        self._name = re.compile(rf"[\"'\[=](?:img:)?{name}(?=[\"'\]:\\,])")
        self._node = re.compile(rf"(?:img:)?{name}:\S+\Z")

    def add_texts(self, texts: Iterable[str]) -> None:
        """Take a cell that is one of `texts` as a trace, such as a reply about the document."""
        self._texts.update(texts)

    def is_named(self, text: str) -> bool:
        """Return whether a cell is a document's id or that of one of its passages, or holds one between quotes or brackets."""
        return text in self.document_ids or self._node.match(text) is not None or self._name.search(text) is not None

    def is_quoted(self, text: str) -> bool:
        """Return whether a cell is one of the document's texts, or holds a run of words that only it has."""
        if text in self._texts:
            return True
        plain = _ESCAPE.sub(_unescaped, text) if "\\" in text else text
        return not self._runs.isdisjoint(_runs(plain))

    def is_held(self, text: str) -> bool:
        """Return whether a cell names or quotes the document."""
        return self.is_named(text) or self.is_quoted(text)


def strings_of(value: Any) -> Iterator[str]:
    """Yield all strings within lists and dictionaries, keys too.

    >>> list(strings_of({"a": ["b", {"c": 1}]}))
    ['a', 'b', 'c']
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings_of(key)
            yield from strings_of(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings_of(inner)


def _runs(text: str) -> Iterator[Run]:
    words = _WORD.findall(text.casefold())
    for start in range(len(words) - RUN_WORDS + 1):
        yield tuple(words[start : start + RUN_WORDS])


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else " "
