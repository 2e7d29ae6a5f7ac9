"""Corrects typing errors in a query by the vocabulary of the index; possible names and numbers are not changed."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import regex

from kohaku_lib.embedding.model_folder import model_folder
from kohaku_lib.index import Snapshot, tokenise
from kohaku_lib.settings import LexicalSettings
from kohaku_lib.text.tokens import WORD

LEAST_COUNT = 2  # minimum occurrences of a replacement word
MOST_PARAGRAPHS = 100_000  # sample size for counting words, if no filter applies
MOST_VOCABULARIES = 8  # kept of one snapshot, one for each filter
LEAST_SURVIVING = 0.5  # minimum share of unchanged words
LEAST_SIMILARITY = 60.0  # minimum character similarity to the original query, in percent
_ONE_SLIP, _TWO_SLIPS = 4, 8  # minimum word lengths for one and two edits

_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|(?<!\w)\'[^\']*\'(?!\w)|`[^`]*`')
_BETWEEN_WORDS = r"[^\pL\pM]+"
_VOCABULARIES: WeakKeyDictionary[Snapshot, OrderedDict[bytes, _Counted]] = WeakKeyDictionary()
_LOOKING_UP = threading.Lock()


@dataclass(slots=True)
class _Counted:
    """The words of one filter, counted by the first thread that needs them."""

    vocabulary: KnownWords | None = None
    counting: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True, slots=True)
class Correction:
    """A corrected query, and each replaced word with its replacement."""

    text: str
    changes: tuple[tuple[str, str], ...]

    def mend(self, text: str) -> str:
        """Return another text with the same words corrected.

        >>> Correction("the water", (("waetr", "water"),)).mend("cold waetr, waetry")
        'cold water, waetry'
        """
        for word, other in self.changes:
            text = re.sub(rf"\b{word}\b", other, text)
        return text


class Words(Protocol):
    """The interface of the vocabulary that spelling is corrected by."""

    def knows(self, word: str) -> bool:
        """Return whether `word` is a known spelling."""
        ...

    def nearest(self, word: str) -> str | None:
        """Return the most likely intended word, None if there is none."""
        ...


class KnownWords:
    """Words in lower case with their counts."""

    def __init__(self, counts: dict[str, int], lexical: LexicalSettings) -> None:
        self.counts = counts
        self._lexical = lexical
        self._stems = {stem for word in counts for stem in tokenise(word, lexical)}
        self._offered = sorted(word for word, count in counts.items() if count >= LEAST_COUNT)

    def knows(self, word: str) -> bool:
        """Return whether `word` or another form of it is known; a word without terms always is."""
        return all(term in self._stems for term in tokenise(word, self._lexical))

    def nearest(self, word: str) -> str | None:
        """Return the word with the fewest edits, of several the most frequent one; None if none is close enough.

        A transposition is one edit. The first letter must match: it is rarely mistyped.
        """
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        slips = 2 if len(word) >= _TWO_SLIPS else 1
        # pyrefly takes the positional __s1 of rapidfuzz's scorers, written before a keyword, for a name.
        candidates = process.extract(  # pyrefly: ignore[no-matching-overload]
            word, self._offered, scorer=OSA.distance, score_cutoff=slips, limit=None
        )
        near = [(int(distance), -self.counts[other], other) for other, distance, _ in candidates if other[0] == word[0]]
        return min(near)[2] if near else None


class IndexWords:
    """The vocabulary of an index, counted when a word is not among its terms, and once for all searches of a snapshot.

    With `allowed` (searched rows, bool; None: all) it is restricted to these rows. Thread-safe.
    """

    def __init__(self, snapshot: Snapshot, lexical: LexicalSettings, allowed: np.ndarray | None = None) -> None:
        self._snapshot, self._lexical, self._allowed = snapshot, lexical, allowed

    def knows(self, word: str) -> bool:
        """Return whether the rows contain `word` or another form of it."""
        if self._allowed is None:
            return all(map(self._snapshot.lexical.knows, self._snapshot.lexical.terms(word, self._lexical)))
        return self._vocabulary.knows(word)

    def nearest(self, word: str) -> str | None:
        """Return the most likely intended word of the rows, None if there is none."""
        return self._vocabulary.nearest(word)

    @property
    def _vocabulary(self) -> KnownWords:
        key = b"" if self._allowed is None else hashlib.sha256(self._allowed.tobytes()).digest()
        with _LOOKING_UP:
            of_snapshot = _VOCABULARIES.setdefault(self._snapshot, OrderedDict())
            found = of_snapshot.setdefault(key, _Counted())
            of_snapshot.move_to_end(key)
            if len(of_snapshot) > MOST_VOCABULARIES:
                of_snapshot.popitem(last=False)
        with found.counting:  # only those wait who need the same words
            if found.vocabulary is None:
                found.vocabulary = KnownWords(count_words(self._snapshot, self._allowed), self._lexical)
            return found.vocabulary


def count_words(snapshot: Snapshot, allowed: np.ndarray | None = None) -> dict[str, int]:
    """Return the count of each word, in lower case, in the searched paragraphs that `allowed` selects.

    Without `allowed` at most 100,000 evenly spaced paragraphs are sampled.
    """
    rows = np.arange(snapshot.sentences, snapshot.searched)
    rows = rows[:: len(rows) // MOST_PARAGRAPHS + 1] if allowed is None else rows[allowed[snapshot.sentences :]]
    texts = snapshot.nodes.column("text").take(pa.array(snapshot.search_rows[rows], pa.int32()))
    words = pc.call_function("utf8_lower", [texts])
    words = pc.call_function("split_pattern_regex", [words], pc.SplitPatternOptions(_BETWEEN_WORDS))
    value_counts = pc.call_function("value_counts", [pc.call_function("list_flatten", [words])])
    counts = dict(zip(value_counts.field("values").to_pylist(), value_counts.field("counts").to_pylist(), strict=True))
    counts.pop("", None)
    return counts


def correct(query: str, words: Words) -> Correction | None:
    """Return `query` with its unknown words corrected; None if there is nothing to correct.

    Not corrected: words with a capital, a digit or a hyphen, quoted words, words of fewer than four letters, words of
    the index, and frequent English words. A correction that changes more than half of the words, or leaves less than
    60 % character similarity, is discarded.

    >>> words = KnownWords({"electricity": 9, "consumption": 4}, LexicalSettings())
    >>> correct("electrcity consumption of GTP-3", words)
    Correction(text='electricity consumption of GTP-3', changes=(('electrcity', 'electricity'),))
    """
    from rapidfuzz import fuzz

    changes = [(match, other) for match in _open_words(query) if (other := _correct_word(match.group(), words))]
    text = query
    for match, other in reversed(changes):
        text = text[: match.start()] + other + text[match.end() :]
    count = sum(1 for _ in WORD.finditer(query))
    if not changes or count - len(changes) < LEAST_SURVIVING * count or fuzz.ratio(query, text) < LEAST_SIMILARITY:
        return None
    return Correction(text, tuple((match.group(), other) for match, other in changes))


def _open_words(query: str) -> Iterator[regex.Match[str]]:
    """Yield the words that may be corrected: plain lower-case letters outside quotes."""
    quoted = [match.span() for match in _QUOTED.finditer(query)]
    for match in WORD.finditer(query):
        word = match.group()
        is_quoted = any(start <= match.start() < end for start, end in quoted)
        if word.isalpha() and word.islower() and len(word) >= _ONE_SLIP and not is_quoted:
            yield match


def _correct_word(word: str, words: Words) -> str | None:
    return None if words.knows(word) or word in _common_words() else words.nearest(word)


@lru_cache(maxsize=1)
def _common_words() -> frozenset[str]:
    """Return about 20,000 frequent English words: the whole-word tokens of the bundled model."""
    vocabulary = (model_folder("minilm") / "vocab.txt").read_text(encoding="utf-8")
    return frozenset(word for word in vocabulary.split("\n") if word.isalpha())
