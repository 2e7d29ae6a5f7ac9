"""A cache of answers by question: by its words first, then by its meaning, where the guard agrees."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np

from kohaku_lib.conversation.cache.guard import ask_the_same

Mode = Literal["exact", "precision", "recall", "adaptive"]
PRECISION, RECALL = 0.95, 0.85
# The nearest question comes first, so that "adaptive" (0.95 first, then 0.85) finds what "recall" does.
LEAST_COSINE: dict[Mode, float] = {"precision": PRECISION, "recall": RECALL, "adaptive": RECALL}
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class CacheHit(Generic[Value]):
    """A cached value, the question it was stored for, and the similarity of the two; 1 for the same words."""

    value: Value
    question: str
    similarity: float


@dataclass(slots=True)
class CacheCounts:
    """What a cache did since it was created."""

    exact: int = 0
    semantic: int = 0
    misses: int = 0
    evictions: int = 0
    similarity_sum: float = 0.0

    @property
    def hits(self) -> int:
        """All hits."""
        return self.exact + self.semantic

    @property
    def mean_similarity(self) -> float | None:
        """The mean similarity of the semantic hits; None if there are none."""
        return self.similarity_sum / self.semantic if self.semantic else None


@dataclass(slots=True)
class _Entry(Generic[Value]):
    question: str
    value: Value
    expires_s: float
    slot: int | None  # None without a vector


class SemanticCache(Generic[Value]):
    """Up to `entries` values by scope and question, each for its time; the least recently used go first. Thread-safe.

    A lookup compares the normalised words first, then, but for the mode "exact", the meaning: from a cosine of 0.95 on, in
    modes "recall" and "adaptive" from 0.85, and only if both questions agree in numbers, units, names, negation and
    direction. A scope is whatever an answer depends on beside its question; scopes never share entries.

    Args:
        entries: The largest number of values, until `put` gives another.
        clock: Seconds, monotonic.
        agree: The guard, of two questions.

    Example:
        >>> cache = SemanticCache(10, lambda: 0.0)
        >>> vector = lambda: np.array([1.0, 0.0])
        >>> cache.put("scope", "How heavy is it?", vector, "4 kg", "adaptive", ttl_s=300.0)
        >>> cache.get("scope", "how heavy  is it", vector, "adaptive").value
        '4 kg'

    """

    def __init__(
        self,
        entries: int,
        clock: Callable[[], float],
        agree: Callable[[str, str], bool] = ask_the_same,
    ) -> None:
        self._most, self._clock, self._agree = entries, clock, agree
        self._entries: OrderedDict[tuple[str, str], _Entry[Value]] = OrderedDict()  # least recently used first
        self._keys: list[tuple[str, str] | None] = []  # by slot, a row of the matrix
        self._vectors = np.empty((0, 0), np.float32)
        self._lock = threading.Lock()
        self.counts = CacheCounts()

    def __len__(self) -> int:
        """Return the number of values, those that have expired included."""
        return len(self._entries)

    def get(self, scope: str, question: str, vector: Callable[[], np.ndarray], mode: Mode) -> CacheHit[Value] | None:
        """Return the value of the same words in `scope`, else of the nearest question that the guard lets through.

        `vector` computes that of the question, of length 1, where its words are new; in mode "exact" it is never called.
        """
        least = LEAST_COSINE.get(mode)
        key = scope, normalised_question(question)
        with self._lock:
            entry = self._live(key)
            if entry is not None:
                self._entries.move_to_end(key)
                self.counts.exact += 1
                return CacheHit(entry.value, entry.question, 1.0)
            if least is None:
                self.counts.misses += 1
                return None
        return self._get_similar(scope, question, vector(), least)

    def put(
        self,
        scope: str,
        question: str,
        vector: Callable[[], np.ndarray],
        value: Value,
        mode: Mode,
        ttl_s: float,
        entries: int | None = None,
    ) -> None:
        """Store the value of a question in `scope` for `ttl_s` seconds; `vector` and `mode` as in `get`.

        With `entries` that is the largest number of values from now on.
        """
        key = scope, normalised_question(question)
        least = LEAST_COSINE.get(mode)
        embedded = None if least is None else vector()
        with self._lock:
            self._most = entries or self._most
            self._forget(key)
            while len(self._entries) >= self._most:
                self._forget(next(iter(self._entries)))
                self.counts.evictions += 1
            slot = None if embedded is None else self._slot_for(key, embedded)
            self._entries[key] = _Entry(question, value, self._clock() + ttl_s, slot)

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._entries.clear()
            self._keys = [None] * len(self._keys)

    def _get_similar(self, scope: str, question: str, vector: np.ndarray, least: float) -> CacheHit[Value] | None:
        with self._lock:
            for slot, similarity in self._nearest(vector, least):
                key = self._keys[slot]
                entry = self._live(key) if key is not None and key[0] == scope else None
                if key is not None and entry is not None and self._agree(question, entry.question):
                    self._entries.move_to_end(key)
                    self.counts.semantic += 1
                    self.counts.similarity_sum += similarity
                    return CacheHit(entry.value, entry.question, similarity)
            self.counts.misses += 1
            return None

    def _live(self, key: tuple[str, str]) -> _Entry[Value] | None:
        entry = self._entries.get(key)
        if entry is not None and self._clock() >= entry.expires_s:
            self._forget(key)
            return None
        return entry

    def _nearest(self, vector: np.ndarray, least: float) -> list[tuple[int, float]]:
        """Return the slots whose vectors are near enough, nearest first, with their cosines."""
        if not self._entries:
            return []
        cosines = self._vectors[: len(self._keys)] @ vector.astype(np.float32)
        near = np.flatnonzero(cosines >= least)
        return [(int(slot), float(cosines[slot])) for slot in near[np.argsort(-cosines[near], kind="stable")]]

    def _slot_for(self, key: tuple[str, str], vector: np.ndarray) -> int:
        slot = next((place for place, taken in enumerate(self._keys) if taken is None), len(self._keys))
        if slot == len(self._keys):
            self._keys.append(None)
        if self._vectors.shape[1:] != vector.shape or slot >= len(self._vectors):
            grown = np.zeros((min(self._most, max(16, 2 * slot)), len(vector)), np.float32)
            if self._vectors.shape[1:] == vector.shape:
                grown[: len(self._vectors)] = self._vectors
            self._vectors = grown
        self._keys[slot], self._vectors[slot] = key, vector
        return slot

    def _forget(self, key: tuple[str, str]) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None and entry.slot is not None:
            self._keys[entry.slot] = None


def normalised_question(question: str) -> str:
    """Return a question without differences of case, blanks and the punctuation that does not join two characters.

    >>> normalised_question(' How heavy  is the "Kohaku", at 1.5 m?!')
    'how heavy is the kohaku at 1.5 m'
    """
    return " ".join(_PUNCTUATION.sub(" ", question).split()).casefold()


_MARKS = r"""[.,;:!?…'"“”‘’«»()\[\]{}¿¡。、，；：？！「」『』（）]"""
_PUNCTUATION = re.compile(rf"(?<!\w){_MARKS}+|{_MARKS}+(?!\w)")
