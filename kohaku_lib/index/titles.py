"""Finds the documents whose titles a text contains."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from kohaku_lib.index.graph.names import title_name
from kohaku_lib.text.tokens import WORD

Words = tuple[str, ...]


class TitleIndex:
    """The titles of documents as sequences of words, without brackets at their end; immutable, so thread-safe.

    A title counts if a name could be written so: it begins with a capital or a digit and has 3 to 80 characters. Upper
    and lower case are distinguished, as many titles are also common words.

    >>> TitleIndex(["Iowa", "Iowa City", "Mercury (planet)"]).documents_in("Is Iowa City's Mercury bright?")
    [1, 2]
    """

    def __init__(self, titles: Sequence[str]) -> None:
        self.names = [title_name(title) for title in titles]  # "" if the title is no name
        self._documents: dict[Words, list[int]] = {}
        self._lengths: dict[str, list[int]] = {}  # of the titles by their first word, longest first
        for number, name in enumerate(self.names):
            if words := _words(name):
                self._documents.setdefault(words, []).append(number)
        for words in self._documents:
            self._lengths.setdefault(words[0], []).append(len(words))
        for first, lengths in self._lengths.items():
            self._lengths[first] = sorted(set(lengths), reverse=True)

    def documents_in(self, text: str) -> list[int]:
        """Return the numbers of the documents whose titles occur in `text`, by first occurrence.

        Of titles that begin at the same word, or overlap, the first and longest counts.
        """
        words = _words(text)
        found: dict[int, None] = {}
        after = 0  # the last title
        for at in [at for at, word in enumerate(words) if word in self._lengths]:
            if at < after:
                continue
            length = next((n for n in self._lengths[words[at]] if words[at : at + n] in self._documents), 0)
            found |= dict.fromkeys(self._documents[words[at : at + length]] if length else ())
            after = at + length
        return list(found)


@lru_cache(maxsize=1024)  # texts: questions find the same passages again
def _words(text: str) -> Words:
    """Return the words of `text`, without possessive endings."""
    words = [found[0] for found in WORD.finditer(text)]
    return tuple([word[:-2] if word.endswith(_POSSESSIVES) else word for word in words])


_POSSESSIVES = ("'s", "’s")
