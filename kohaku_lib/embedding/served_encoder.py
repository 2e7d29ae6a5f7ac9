"""Texts to vectors by a server that speaks OpenAI's /embeddings: openai:NAME."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from kohaku_lib.embedding.model_folder import SERVED
from kohaku_lib.embedding.port import Chunk, Side
from kohaku_lib.embedding.served_reply import Reply, reply_of
from kohaku_lib.embedding.windows import BYTES_PER_TOKEN, Spans, estimated_spans, tokenized_windows
from kohaku_lib.errors import ModelError
from kohaku_lib.interruption import interruptible_pool
from kohaku_lib.llm import Environment
from kohaku_lib.llm.access import ServerAccess
from kohaku_lib.llm.attempt import AttemptError
from kohaku_lib.settings import EmbeddingSettings

_BASE_URL, _KEY_VARIABLE = "https://api.openai.com/v1", "OPENAI_API_KEY"
_PROBE = "kohaku"


class ServedEncoder:
    """A model on a server; requests go out side by side and each is tried again as a chat's would be.

    Texts are sent as they are: a server applies no prompts, so questions and nodes are treated alike, and `task` has
    no effect. A text of more than `input_tokens` (estimated) is cut before it is sent; one that the server finds too
    long all the same loses a quarter at a time. Requests that are too large for the server are halved.

    Exercised: a server on the loopback that fails in every way known to us. Not exercised: OpenAI's own.
    """

    def __init__(self, settings: EmbeddingSettings, environment: Environment | None = None) -> None:
        self.most_tokens: int | None = settings.input_tokens
        self.precision: str = "served"
        self._settings = settings
        environment = environment or Environment()
        self._access = ServerAccess(
            settings.base_url or _BASE_URL, _api_key(settings, environment), settings, environment
        )
        self._dim = settings.server_dimensions
        self._lock = threading.Lock()

    @property
    def dim(self) -> int:
        """The number of components of a vector; the server is asked for one where no reply has come yet."""
        if self._dim is None:
            self._fitting([_PROBE])
        assert self._dim is not None
        return self._dim

    def chunks(self, texts: Sequence[str], side: Side, task: str) -> Iterator[Chunk]:
        """Yield the vectors of all `texts`, a request at a time in the order in which they are answered."""
        if not texts:
            return
        whole = self._settings.input_tokens
        sent = [_cut(text, whole) for text in texts]
        batches = list(_batches(sent, self._settings.request_texts, self._settings.request_tokens))
        with interruptible_pool(min(self._settings.max_concurrent, len(batches))) as pool:
            for done in as_completed([pool.submit(self._chunk, texts, sent, rows) for rows in batches]):
                yield done.result()

    def windows(self, texts: Sequence[str], side: Side, task: str) -> list[list[str]]:
        """Return each text in windows of at most `input_tokens` estimated tokens."""
        return tokenized_windows(texts, _estimated, self._settings.input_tokens)

    def _chunk(self, texts: Sequence[str], sent: Sequence[str], rows: np.ndarray) -> Chunk:
        found = self._fitting([str(sent[row]) for row in rows])
        cut = [found.was_cut[at] or len(sent[row]) < len(texts[row]) for at, row in enumerate(rows)]
        return Chunk(rows, found.vectors, sum(cut), found.billed_tokens)

    def _fitting(self, texts: list[str]) -> _Found:
        """Return the vectors of `texts`, sent in smaller requests or shortened where they are too much for the server."""
        try:
            reply = self._ask(texts)
            return _Found(reply.vectors, reply.billed_tokens, [False] * len(texts))
        except AttemptError as error:
            if error.failure.kind != "overflow" or (len(texts) == 1 and len(texts[0]) < BYTES_PER_TOKEN):
                raise self._error(error) from error
        if len(texts) == 1:
            shorter = self._fitting([texts[0][: len(texts[0]) * 3 // 4]])
            return _Found(shorter.vectors, shorter.billed_tokens, [True])
        half = len(texts) // 2
        return _joined(self._fitting(texts[:half]), self._fitting(texts[half:]))

    def _ask(self, texts: list[str]) -> Reply:
        """Return the server's reply, after the retries of the settings; raises AttemptError."""
        reply = self._access.retried(self._name, lambda _: self._attempt(texts))
        self._check_dim(reply.vectors.shape[1])
        return reply

    def _attempt(self, texts: list[str]) -> Reply:
        replies: list[Reply] = []
        self._access.post(
            "embeddings", self._parameters(texts), lambda body: replies.append(reply_of(body, len(texts)))
        )
        return replies[0]

    def _parameters(self, texts: list[str]) -> dict[str, Any]:
        wanted = self._settings.server_dimensions
        return {
            "model": self._settings.model.removeprefix(SERVED),
            "input": [text or " " for text in texts],  # servers refuse an empty one
            "encoding_format": "float",  # the not every server has base64
            **({} if wanted is None else {"dimensions": wanted}),
        }

    def _check_dim(self, dim: int) -> None:
        with self._lock:
            self._dim = self._dim or dim
        if dim != self._dim:
            wanted = self._settings.server_dimensions
            why = "embedding.server_dimensions asks for" if wanted else "it gave before"
            msg = (
                f"{self._name} at {self._access.where} gives {dim} dimensions where {why} "
                f"{self._dim}; leave embedding.server_dimensions out, and set embedding.dim to keep the first ones"
            )
            raise ModelError(msg)

    @property
    def _name(self) -> str:
        return f"the embedding model {self._settings.model!r}"

    def _error(self, error: AttemptError) -> ModelError:
        return self._access.error(self._name, error, "no vectors")


def load_served(settings: EmbeddingSettings) -> ServedEncoder:
    """Return the model that `settings` name, one per process and settings; raises ModelError where its key is missing."""
    unread = {"dim": None, "paragraph_mode": "averaged", "weighting": "none", "task": "retrieval"}
    return _load(settings.model_copy(update=unread).model_dump_json())


@dataclass(frozen=True, slots=True)
class _Found:
    vectors: np.ndarray
    billed_tokens: int | None
    was_cut: list[bool]


@lru_cache(maxsize=4)
def _load(settings_json: str) -> ServedEncoder:
    return ServedEncoder(EmbeddingSettings.model_validate_json(settings_json))


def _joined(first: _Found, second: _Found) -> _Found:
    known = first.billed_tokens is not None and second.billed_tokens is not None
    billed = (first.billed_tokens or 0) + (second.billed_tokens or 0) if known else None
    return _Found(np.concatenate([first.vectors, second.vectors]), billed, first.was_cut + second.was_cut)


def _estimated(texts: list[str]) -> list[Spans]:
    return [estimated_spans(text) for text in texts]


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def _cut(text: str, most_tokens: int) -> str:
    if _tokens(text) <= most_tokens:
        return text
    return text.encode("utf-8", "replace")[: most_tokens * BYTES_PER_TOKEN].decode("utf-8", "ignore")


def _batches(texts: Sequence[str], most_texts: int, most_tokens: int) -> Iterator[np.ndarray]:
    """Yield the rows of `texts` in their order; a text over the budget is a request of its own."""
    rows: list[int] = []
    tokens = 0
    for row, text in enumerate(texts):
        size = _tokens(text)
        if rows and (len(rows) == most_texts or tokens + size > most_tokens):
            yield np.array(rows)
            rows, tokens = [], 0
        rows.append(row)
        tokens += size
    if rows:
        yield np.array(rows)


def _api_key(settings: EmbeddingSettings, environment: Environment) -> str | None:
    variable = settings.api_key_env or _KEY_VARIABLE
    key = environment.variable(variable)
    if key or (settings.base_url and not settings.api_key_env):
        return key
    msg = (
        f"embedding.model = {settings.model!r} needs a key in the environment variable {variable}, which is not set; "
        "set it, name another one in embedding.api_key_env, or a server without keys in embedding.base_url"
    )
    raise ModelError(msg)
