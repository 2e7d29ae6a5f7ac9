"""A cache of rerank scores by pair."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pyarrow as pa

from kohaku_lib.digests import digest
from kohaku_lib.retrieval.rerank.interface import Reranker
from kohaku_lib.storage.caches.row_cache import KEY, RowCache

RERANK_CACHE_SCHEMA = pa.schema([pa.field("score", pa.float64(), nullable=False)])


def cached(reranker: Reranker, cache: RowCache | None, identity: str) -> Reranker:
    """Wrap `reranker` with `cache`, if there is one; see CachedReranker for `identity`."""
    return reranker if cache is None else CachedReranker(reranker, cache, identity)


class CachedReranker:
    """A reranker that looks up scores in `cache` and stores new ones.

    `identity` is everything besides the pair that the scores depend on: the model's content and settings. Unknown
    scores are not stored, so the next call retries them.
    """

    def __init__(self, reranker: Reranker, cache: RowCache, identity: str) -> None:
        self._reranker, self._cache, self._identity = reranker, cache, identity
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The name of the wrapped reranker."""
        return self._reranker.name

    def scores(self, query: str, texts: Sequence[str], question_id: str) -> list[float | None]:
        """Return the score of each text, from the cache if known."""
        keys = [digest([self._identity, query, text]) for text in texts]
        with self._lock:
            score_by_key = self._read_cache(keys)
        text_by_key = {key: text for key, text in zip(keys, texts, strict=True) if key not in score_by_key}
        if text_by_key:
            new_scores = self._reranker.scores(query, list(text_by_key.values()), question_id)
            known_new_scores = {
                key: score for key, score in zip(text_by_key, new_scores, strict=True) if score is not None
            }
            with self._lock:
                self._cache.add_table(
                    pa.table({KEY: pa.array(known_new_scores, pa.string()), "score": list(known_new_scores.values())})
                )
            score_by_key |= known_new_scores
        return [score_by_key.get(key) for key in keys]

    def _read_cache(self, keys: Sequence[str]) -> dict[str, float]:
        table = self._cache.get_many(keys)
        return dict(zip(table[KEY].to_pylist(), table["score"].to_pylist(), strict=True))
