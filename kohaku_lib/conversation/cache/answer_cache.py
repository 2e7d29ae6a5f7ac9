"""The cache of responses: what of a question they depend on, and which of them are worth keeping."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kohaku_lib.answering.confidence import MEDIUM
from kohaku_lib.conversation.cache.semantic_cache import CacheCounts, SemanticCache
from kohaku_lib.conversation.response.response import Response
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
        self._cache = SemanticCache[Response](settings.assistant.cache_entries, clock)
        self._lock = threading.Lock()
        self._version: str | None = None

    @property
    def counts(self) -> CacheCounts:
        """Hits, misses and evictions so far."""
        return self._cache.counts

    def find(self, asked: AskedQuestion) -> Response | None:
        """Return the kept response to a question or, where assistant.cache_mode says so, to one of its meaning; else None."""
        own = asked.settings.assistant
        if not own.cache:
            return None
        self._follow(asked.index_version)
        hit = self._cache.get(asked.scope, asked.text, asked.vector, own.cache_mode)
        if hit is None:
            return None
        matched = {"cached_question": hit.question, "similarity": hit.similarity}
        return replace(hit.value, cached=True, trace={**hit.value.trace, **matched})

    def keep(self, asked: AskedQuestion, response: Response) -> None:
        """Keep an answer; refusals and answers of low confidence are not kept."""
        own = asked.settings.assistant
        if own.cache and response.is_answer and response.confidence_score >= MEDIUM:
            limits = own.cache_mode, own.cache_ttl_s, own.cache_entries
            self._cache.put(asked.scope, asked.text, asked.vector, response, *limits)

    def _follow(self, index_version: str) -> None:
        with self._lock:
            if self._version != index_version:
                self._cache.clear()
                self._version = index_version
