"""Scores by a server's /rerank: Cohere's, Jina's, vLLM's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from kohaku_lib.digests import digest
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import Environment
from kohaku_lib.llm.servers.access import ServerAccess, server_key
from kohaku_lib.llm.servers.texts_endpoint import TextsEndpoint, broken_reply, items_in_order
from kohaku_lib.retrieval.rerank.cached import cached
from kohaku_lib.retrieval.rerank.interface import RERANKERS, RerankDependencies, Reranker, RerankerKind
from kohaku_lib.settings import RerankSettings
from kohaku_lib.text.untrusted_json import without_surrogates


def build_served(settings: RerankSettings, dependencies: RerankDependencies) -> Reranker:
    """Return the cached reranker on the configured server.

    Raises:
        ModelError: rerank.base_url, rerank.served_model or the key is missing.

    """
    reranker = ServedReranker(settings, dependencies.environment)
    return cached(reranker, dependencies.cache, digest(["served", settings.served_model, settings.logits]))


class ServedReranker:
    """A cross-encoder on a server, which scores `batch_size` texts per request.

    429, 5xx, dropped connections and invalid replies are retried like those of a chat; a request that is too large is
    halved, and a single text that is too long has no score.

    Tested against a local server with fault injection, not against Cohere's, Jina's or vLLM's.

    Raises:
        ModelError: base_url, the model or the key is missing.
    """

    def __init__(self, settings: RerankSettings, environment: Environment | None = None) -> None:
        self._settings = settings
        environment = environment or Environment()
        access = ServerAccess(*_server_address(settings, environment), settings, environment)
        what = f"the reranker {self.name!r}"
        self._endpoint = TextsEndpoint(access, "/rerank", what, "no scores", concurrent=settings.max_concurrent)

    @property
    def name(self) -> str:
        """The name of the model on its server."""
        return f"served:{self._settings.served_model}"

    def scores(self, query: str, texts: Sequence[str], question_id: str) -> list[float | None]:
        """Return the score of each text, from 0 to 1.

        Raises:
            ModelError: The server returns no scores.
        """
        size = self._settings.batch_size
        scores: list[float | None] = []
        for start in range(0, len(texts), size):
            batch = texts[start : start + size]
            parts = self._endpoint.in_parts(batch, partial(self._score_batch, query), lambda text, error: [None])
            scores.extend(score for part in parts for score in part)
        return scores

    def _score_batch(self, query: str, texts: list[str]) -> Sequence[float | None]:
        query, *documents = map(without_surrogates, [query, *texts])
        body = {"model": self._settings.served_model, "query": query, "documents": documents, "top_n": len(texts)}
        return self._calibrate_score(self._endpoint.reply(body, lambda reply: scores_of(reply, len(texts))))

    def _calibrate_score(self, scores: list[float]) -> list[float]:
        if self._settings.logits:
            return [sigmoid(score) for score in scores]
        strange = next((score for score in scores if not 0.0 <= score <= 1.0), None)
        if strange is not None:
            msg = f"the reranker {self.name!r} must give scores from 0 to 1, got {strange!r}; set rerank.logits = true"
            raise ModelError(msg)
        return scores


def sigmoid(logit: float) -> float:
    """Return 1 / (1 + e^-logit), computed by the hyperbolic tangent to avoid overflow.

    >>> sigmoid(0.0), round(sigmoid(-2.0), 4), sigmoid(-1000.0)
    (0.5, 0.1192, 0.0)
    """
    return (1.0 + math.tanh(logit / 2.0)) / 2.0


def _server_address(settings: RerankSettings, environment: Environment) -> tuple[str, str | None]:
    """Return the server's address and its key, None if it needs none."""
    if not settings.base_url or not settings.served_model:
        msg = "a served reranker needs rerank.base_url and rerank.served_model; set both, or another rerank.kind"
        raise ModelError(msg)
    user = f"rerank.served_model = {settings.served_model!r}"
    otherwise = "leave that out where the server needs no key"
    return settings.base_url, server_key(settings, None, environment, user, "rerank", otherwise)


def scores_of(body: Mapping[str, Any], count: int) -> list[float]:
    """Return the scores in the `body` of a reply for `count` texts, in the order of the texts.

    The format is that of Cohere, Jina and vLLM: `results` with `index` and `relevance_score`, in any order.

    Raises:
        AttemptError: The reply is malformed; the request may be retried.

    >>> scores_of({"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]}, 2)
    [0.2, 0.9]
    """
    return [_valid_score(item.get("relevance_score")) for item in items_in_order(body, "results", count, "score")]


def _valid_score(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        msg = f"the server's reply holds a score that is no number, {value!r}"
        raise broken_reply(msg)
    return float(value)


RERANKERS.register(
    RerankerKind(
        "served",
        build_served,
        settings_keys=("rerank.served_model", "rerank.logits"),
        needs=("rerank.base_url", "rerank.served_model"),
        order=1,
    )
)
