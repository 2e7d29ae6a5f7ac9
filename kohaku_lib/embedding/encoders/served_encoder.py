"""Embedding by a server with OpenAI's /embeddings API: openai:NAME."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from kohaku_lib.embedding.encoders.interface import SERVED_ENCODERS, Chunk, ServedKind, Side, token_sum
from kohaku_lib.embedding.windows import BYTES_PER_TOKEN, Spans, estimated_spans, tokenized_windows
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import Environment
from kohaku_lib.llm.providers.interface import PROVIDERS
from kohaku_lib.llm.resilience.attempt import AttemptError
from kohaku_lib.llm.servers.access import ServerAccess, server_key
from kohaku_lib.llm.servers.texts_endpoint import TextsEndpoint, broken_reply, items_in_order
from kohaku_lib.parallel.interruption import interruptible_pool
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.text.untrusted_json import token_count, without_surrogates

_PROBE = "kohaku"
_NO_VECTOR = "the server's reply contains an invalid vector"


class ServedEncoder:
    """A model on a server, with concurrent requests and the retries of a chat model.

    Servers apply no prompts, so questions and nodes are treated alike, and `task` has no effect. A text of more than
    `input_tokens` (estimated) is truncated; one that the server still rejects as too long is shortened by a quarter at a
    time. Requests that are too large are halved by `TextsEndpoint.in_parts`.

    Tested against a local server that simulates all known faults. Not tested: OpenAI's.
    """

    def __init__(self, settings: EmbeddingSettings, environment: Environment | None = None) -> None:
        self.most_tokens: int | None = settings.input_tokens
        self.precision: str = "served"
        self._settings = settings
        environment = environment or Environment()
        access = _server_access(settings, environment)
        what = f"the embedding model {settings.model!r}"
        self._endpoint = TextsEndpoint(access, "/embeddings", what, "no vectors")
        self._dim = settings.server_dimensions
        self._lock = threading.Lock()

    @property
    def dim(self) -> int:
        """The number of dimensions; requests one vector if there was no reply yet."""
        if self._dim is None:
            self._embed_split([_PROBE])
        assert self._dim is not None
        return self._dim

    def chunks(self, texts: Sequence[str], side: Side, task: str) -> Iterator[Chunk]:
        """Yield the vectors of all `texts`, one chunk per request in order of completion."""
        if not texts:
            return
        whole = self._settings.input_tokens
        sent = [_truncate(text, whole) for text in texts]
        batches = list(_request_batches(sent, self._settings.batch_size, self._settings.request_tokens))
        with interruptible_pool(min(self._settings.max_concurrent, len(batches))) as pool:
            for done in as_completed([pool.submit(self._embed_chunk, texts, sent, rows) for rows in batches]):
                yield done.result()

    def windows(self, texts: Sequence[str], side: Side, task: str) -> list[list[str]]:
        """Split each text into windows of at most `input_tokens` estimated tokens."""
        return tokenized_windows(texts, _estimated_spans, self._settings.input_tokens)

    def _embed_chunk(self, texts: Sequence[str], sent: Sequence[str], rows: np.ndarray) -> Chunk:
        served = self._embed_split([str(sent[row]) for row in rows])
        cut = [served.was_cut[at] or len(sent[row]) < len(texts[row]) for at, row in enumerate(rows)]
        return Chunk(rows, served.vectors, sum(cut), served.billed_tokens)

    def _embed_split(self, texts: list[str]) -> _ServedVectors:
        """Return the vectors of `texts`, in smaller requests or shortened if the server rejects them as too large."""
        return reduce(_concatenate, self._endpoint.in_parts(texts, self._request_vectors, self._embed_shortened))

    def _request_vectors(self, texts: list[str]) -> _ServedVectors:
        """Send one request, with the retries of the settings.

        Raises:
            AttemptError: All attempts failed, or the request is too large.

        """
        reply = self._endpoint.reply(self._request_body(texts), lambda body: reply_of(body, len(texts)))
        self._check_dim(reply.vectors.shape[1])
        return _ServedVectors(reply.vectors, reply.billed_tokens, [False] * len(texts))

    def _embed_shortened(self, text: str, error: AttemptError) -> _ServedVectors:
        if len(text) < BYTES_PER_TOKEN:
            raise self._endpoint.error(error) from error
        shorter = self._embed_split([text[: len(text) * 3 // 4]])
        return _ServedVectors(shorter.vectors, shorter.billed_tokens, [True])

    def _request_body(self, texts: list[str]) -> dict[str, Any]:
        wanted = self._settings.server_dimensions
        return {
            "model": self._settings.model.partition(":")[2],
            "input": [without_surrogates(text) or " " for text in texts],  # servers reject empty texts
            "encoding_format": "float",  # not every server has base64
            **({} if wanted is None else {"dimensions": wanted}),
        }

    def _check_dim(self, dim: int) -> None:
        with self._lock:
            self._dim = self._dim or dim
        if dim != self._dim:
            wanted = self._settings.server_dimensions
            why = "embedding.server_dimensions is" if wanted else "earlier replies had"
            msg = (
                f"{self._endpoint.what} at {self._endpoint.where} returned {dim} dimensions, but {why} "
                f"{self._dim}; leave embedding.server_dimensions out, and set embedding.dim to keep the first ones"
            )
            raise ModelError(msg)


def load_served(settings: EmbeddingSettings) -> ServedEncoder:
    """Return the model of `settings`, one per process and settings.

    Raises:
        ModelError: The API key is missing.

    """
    unread = {"dim": None, "paragraph_mode": "averaged", "weighting": "none", "task": "retrieval"}
    return _cached_encoder(json.dumps(settings.model_copy(update=unread).to_json()))


@dataclass(frozen=True, slots=True)
class _ServedVectors:
    vectors: np.ndarray
    billed_tokens: int | None
    was_cut: list[bool]


@lru_cache(maxsize=4)
def _cached_encoder(settings_json: str) -> ServedEncoder:
    return ServedEncoder(EmbeddingSettings.from_json(json.loads(settings_json)))


def _concatenate(first: _ServedVectors, second: _ServedVectors) -> _ServedVectors:
    billed = token_sum(first.billed_tokens, second.billed_tokens)
    return _ServedVectors(np.concatenate([first.vectors, second.vectors]), billed, first.was_cut + second.was_cut)


def _estimated_spans(texts: list[str]) -> list[Spans]:
    return [estimated_spans(text) for text in texts]


def _estimated_tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def _truncate(text: str, most_tokens: int) -> str:
    if _estimated_tokens(text) <= most_tokens:
        return text
    return text.encode("utf-8", "replace")[: most_tokens * BYTES_PER_TOKEN].decode("utf-8", "ignore")


def _request_batches(texts: Sequence[str], most_texts: int, most_tokens: int) -> Iterator[np.ndarray]:
    """Yield the rows of `texts` per request, in order; a text over the budget is a request by itself."""
    rows: list[int] = []
    tokens = 0
    for row, text in enumerate(texts):
        size = _estimated_tokens(text)
        if rows and (len(rows) == most_texts or tokens + size > most_tokens):
            yield np.array(rows)
            rows, tokens = [], 0
        rows.append(row)
        tokens += size
    if rows:
        yield np.array(rows)


def _server_access(settings: EmbeddingSettings, environment: Environment) -> ServerAccess:
    openai = PROVIDERS.get("openai").server
    assert openai is not None
    user, otherwise = f"embedding.model = {settings.model!r}", "a server without keys in embedding.base_url"
    key = server_key(settings, openai.key_variable, environment, user, "embedding", otherwise)
    return ServerAccess(settings.base_url or openai.base_url, key, settings, environment)


@dataclass(frozen=True, slots=True)
class Reply:
    """Vectors (n, dim) in the order of the texts, and the billed tokens; None if not reported."""

    vectors: np.ndarray
    billed_tokens: int | None


def reply_of(body: Mapping[str, Any], count: int) -> Reply:
    """Parse the `body` of a reply to `count` texts.

    Vectors may be lists of numbers or base64 of little-endian float32.

    Raises:
        AttemptError: The reply is malformed; a retry may help.

    Example:
        >>> vectors = [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 4]}]
        >>> reply = reply_of({"data": vectors, "usage": {"total_tokens": 5}}, 2)
        >>> reply.vectors.tolist(), reply.billed_tokens
        ([[3.0, 4.0], [0.0, 2.0]], 5)

    """
    vectors = [
        _parse_vector(item.get("embedding")) for item in items_in_order(body, "data", count, "vector", as_sent=True)
    ]
    if len({len(row) for row in vectors}) != 1 or not len(vectors[0]):
        msg = "the server's reply contains vectors of unequal or zero dimensions"
        raise broken_reply(msg)
    return Reply(np.stack(vectors), _billed_tokens(body.get("usage")))


def _parse_vector(value: Any) -> np.ndarray:
    try:
        if isinstance(value, str):
            row = np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float32)
        else:
            row = np.array(value, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        raise broken_reply(_NO_VECTOR) from None
    if row.ndim != 1 or not np.isfinite(row).all():
        raise broken_reply(_NO_VECTOR)
    return row


def _billed_tokens(usage: Any) -> int | None:
    if not isinstance(usage, dict):
        return None
    return token_count(usage.get("total_tokens", usage.get("prompt_tokens")))


SERVED_ENCODERS.register(ServedKind("openai", load_served, settings_keys=("server_dimensions", "input_tokens")))
