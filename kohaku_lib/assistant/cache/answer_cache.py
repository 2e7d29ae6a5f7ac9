"""The cache of responses: what of a question they depend on, and which of them are worth keeping."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kohaku_lib.assistant.cache.semantic_cache import CacheCounts, SemanticCache, sum_counts
from kohaku_lib.assistant.response.response import MEDIUM, Response
from kohaku_lib.digests import text_sha256
from kohaku_lib.index import SearchFilter
from kohaku_lib.settings import Settings


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question and everything else that its answer depends on.

    The settings hold tenant, level, model and temperature. `vector` computes that of the question, only if it is needed.
    """

    text: str
    settings: Settings
    where: SearchFilter
    mode: str
    index_version: str
    vector: Callable[[], np.ndarray]

    @property
    def scope(self) -> str:
        """A digest of what is not the question."""
        parts = (self.settings.model_dump_json(), repr(self.where), self.mode, self.index_version)
        return text_sha256("\n".join(parts))


class AnswerCache:
    """Responses to questions that may be asked again; empty as long as assistant.cache is off. Thread-safe.

    A new index version empties it.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._entries, self._clock = settings.assistant.cache_entries, clock
        self._caches: dict[tuple[str, float], SemanticCache[Response]] = {}
        self._lock = threading.Lock()
        self._version: str | None = None

    @property
    def counts(self) -> CacheCounts:
        """Hits, misses and evictions so far."""
        with self._lock:
            counts = [cache.counts for cache in self._caches.values()]
        return sum_counts(counts)

    def find(self, asked: AskedQuestion) -> Response | None:
        """Return the kept response to a question or, where assistant.cache_mode says so, to one of its meaning; else None."""
        if not asked.settings.assistant.cache:
            return None
        self._follow(asked.index_version)
        hit = self._cache_of(asked.settings).get(asked.scope, asked.text, asked.vector)
        if hit is None:
            return None
        matched = {"cached_question": hit.question, "similarity": hit.similarity}
        return replace(hit.value, cached=True, trace={**hit.value.trace, **matched})

    def keep(self, asked: AskedQuestion, response: Response) -> None:
        """Keep an answer; refusals and answers of low confidence are not kept."""
        if asked.settings.assistant.cache and response.is_answer and response.confidence_score >= MEDIUM:
            self._cache_of(asked.settings).put(asked.scope, asked.text, asked.vector, response)

    def _cache_of(self, settings: Settings) -> SemanticCache[Response]:
        """Return the cache of a mode and a lifetime, which may change from one question to the next."""
        own = settings.assistant
        with self._lock:
            key = own.cache_mode, own.cache_ttl_s
            if key not in self._caches:
                self._caches[key] = SemanticCache(self._entries, own.cache_ttl_s, own.cache_mode, self._clock)
            return self._caches[key]

    def _follow(self, index_version: str) -> None:
        with self._lock:
            if self._version != index_version:
                for cache in self._caches.values():
                    cache.clear()
                self._version = index_version
