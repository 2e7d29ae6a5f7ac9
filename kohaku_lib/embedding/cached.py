"""Cached embedding of distinct texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from kohaku_lib.digests import text_sha256
from kohaku_lib.embedding.encoder_selection import check_dim, encoder_for
from kohaku_lib.embedding.encoders.interface import Chunk, Encoder, ImageEncoder, Side, token_sum
from kohaku_lib.embedding.vectors import normalized
from kohaku_lib.embedding.windows import mean_vectors
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage.caches.row_cache import KEY, RowCache

Progress = Callable[[int, int], None]  # (texts done, texts to do)
EMBEDDING_CACHE_SCHEMA = pa.schema([pa.field("vector", pa.list_(pa.float32()), nullable=False)])
_WINDOWED = ".windows"  # key suffix of a text over the model's limit, embedded as the mean of its windows
_LONG_AT_ONCE = 256  # texts


@dataclass(slots=True)
class EmbeddingCost:
    """Cost of an embedding run in distinct texts; `billed_tokens` is None if the server did not report it.

    `truncated` includes cached texts.
    """

    computed: int = 0
    truncated: int = 0
    windowed: int = 0
    windows: int = 0
    billed_tokens: int | None = 0

    def add(self, chunk: Chunk) -> None:
        """Count the truncated texts and the bill of `chunk`."""
        self.truncated += chunk.truncated
        self.billed_tokens = token_sum(self.billed_tokens, chunk.billed_tokens)


@dataclass(frozen=True, slots=True)
class EmbeddingResult:
    """Vectors in the order of the texts, and their cost."""

    vectors: np.ndarray  # (n, dim), float32, rows of length 1 or 0
    reused: int  # distinct texts
    cost: EmbeddingCost
    most_tokens: int | None


def embed(
    texts: Sequence[str],
    settings: EmbeddingSettings,
    cache: RowCache | None,
    side: Side,
    progress: Progress | None = None,
    encoder: Encoder | None = None,
) -> EmbeddingResult:
    """Return the vectors of `texts`; equal texts are computed once, cached ones not at all.

    The cache key is the SHA-256 of the text, so a cache must belong to one `model_key`; cached vectors have all dimensions.
    With `long_texts = "window"` texts over the model's limit have a separate key. Computed vectors are durable after every
    few batches, when `progress` is called. `encoder` overrides the one in `settings`.

    >>> embed(["one", "two", "one"], EmbeddingSettings(dim=8), None, "document").cost.computed
    2

    Raises:
        ModelError: The model is unavailable, has fewer dimensions than `settings.dim`, or other ones than the cache.

    """
    encoder = encoder or encoder_for(settings)
    row_by_key: dict[str, int] = {}
    rows = np.array([row_by_key.setdefault(text_sha256(text), len(row_by_key)) for text in texts], dtype=np.int64)
    distinct = [""] * len(row_by_key)
    for row, text in zip(rows, texts, strict=True):
        distinct[row] = distinct[row] or text.encode("utf-8", "replace").decode()
    windows = [[text] for text in distinct]
    if settings.long_texts == "window":
        windows = encoder.windows(distinct, side, settings.task)
    keys = [key if len(parts) == 1 else key + _WINDOWED for key, parts in zip(row_by_key, windows, strict=True)]
    vectors = Vectors(len(keys), settings.model)
    reused = vectors.recall(keys, cache)
    work = _UncachedTexts(encoder, settings, side, keys, windows, ~vectors.known)
    if settings.long_texts == "truncate":
        known = [text for text, is_known in zip(distinct, vectors.known, strict=True) if is_known]
        work.cost.truncated = _too_long(encoder, known, side, settings.task)
    todo = int(work.missing.sum())
    for chunk_rows, chunk_vectors in work.chunks():
        vectors.put(chunk_rows, chunk_vectors)
        if cache is not None:
            cache.add_table(cache_rows([keys[row] for row in chunk_rows], chunk_vectors))
        work.cost.computed += len(chunk_rows)
        if progress is not None:
            progress(work.cost.computed, todo)
    everything = vectors.matrix(encoder)
    check_dim(settings, everything.shape[1])
    return EmbeddingResult(normalized(everything, settings.dim)[rows], reused, work.cost, encoder.most_tokens)


def _too_long(encoder: Encoder, texts: Sequence[str], side: Side, task: str) -> int:
    """Return how many of `texts` exceed the model's limit."""
    parts = (texts[start : start + _LONG_AT_ONCE] for start in range(0, len(texts), _LONG_AT_ONCE))
    return sum(len(windows) > 1 for part in parts for windows in encoder.windows(part, side, task))


class Vectors:
    """A matrix of vectors that is filled incrementally; the first rows determine its width."""

    def __init__(self, count: int, model: str) -> None:
        self.known = np.zeros(count, dtype=bool)
        self._model = model
        self._rows: np.ndarray | None = None

    def put(self, rows: np.ndarray, vectors: np.ndarray) -> None:
        """Set the vectors (rows, dim) of `rows`.

        Raises:
            ModelError: Their dimensions differ from those set before.

        """
        if self._rows is None:
            self._rows = np.zeros((len(self.known), vectors.shape[1]), dtype=np.float32)
        if vectors.shape[1] != self._rows.shape[1]:
            msg = (
                f"the embedding model {self._model!r} returned {vectors.shape[1]} dimensions, but "
                f"{self._rows.shape[1]} before; the model was replaced under the same name, so use a new name"
            )
            raise ModelError(msg)
        self._rows[rows] = vectors
        self.known[rows] = True

    def recall(self, keys: Sequence[str], cache: RowCache | None) -> int:
        """Fill in the cached ones of `keys`, one key per row, and return their number."""
        table = cache.get_many(keys) if cache is not None and keys else None
        if table is None or not table.num_rows:
            return 0
        row_by_key = {key: row for row, key in enumerate(keys)}
        rows = np.array([row_by_key[key] for key in table[KEY].to_pylist()], dtype=np.int64)
        column = table["vector"].combine_chunks()
        self.put(rows, column.flatten().to_numpy(zero_copy_only=False).reshape(len(rows), -1))
        return len(rows)

    def matrix(self, encoder: Encoder | ImageEncoder) -> np.ndarray:
        """Return all rows; the width of `encoder` if none was set."""
        return np.zeros((len(self.known), encoder.dim), dtype=np.float32) if self._rows is None else self._rows


@dataclass(slots=True)
class _UncachedTexts:
    """The uncached rows to compute, each with one or more windows."""

    encoder: Encoder
    settings: EmbeddingSettings
    side: Side
    keys: list[str]
    windows: list[list[str]]
    missing: np.ndarray
    cost: EmbeddingCost = field(default_factory=EmbeddingCost)

    def chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield rows and their vectors in chunks: first the texts with one window, then the others."""
        is_long = np.array([len(parts) > 1 for parts in self.windows], dtype=bool)
        short = np.flatnonzero(self.missing & ~is_long)
        for chunk in self._encode_chunks([self.windows[row][0] for row in short]):
            yield short[chunk.rows], chunk.vectors
        long = np.flatnonzero(self.missing & is_long)
        for start in range(0, len(long), _LONG_AT_ONCE):
            rows = long[start : start + _LONG_AT_ONCE]
            yield rows, self._window_means([self.windows[row] for row in rows])

    def _window_means(self, windows: list[list[str]]) -> np.ndarray:
        texts = [part for parts in windows for part in parts]
        vectors = Vectors(len(texts), self.settings.model)
        for chunk in self._encode_chunks(texts):
            vectors.put(chunk.rows, chunk.vectors)
        owners = np.repeat(np.arange(len(windows)), [len(parts) for parts in windows])
        self.cost.windowed += len(windows)
        self.cost.windows += len(texts)
        return mean_vectors(vectors.matrix(self.encoder), owners)

    def _encode_chunks(self, texts: list[str]) -> Iterator[Chunk]:
        for chunk in self.encoder.chunks(texts, self.side, self.settings.task) if texts else ():
            self.cost.add(chunk)
            yield chunk


def cache_rows(keys: Sequence[str], vectors: np.ndarray) -> pa.Table:
    """Return `vectors` (n, dim) as cache rows (EMBEDDING_CACHE_SCHEMA plus the key).

    >>> cache_rows(["a"], np.array([[0.0, 1.0]], dtype=np.float32)).to_pylist()
    [{'key': 'a', 'vector': [0.0, 1.0]}]
    """
    offsets = pa.array(np.arange(len(keys) + 1, dtype=np.int32) * vectors.shape[1])
    column = pa.ListArray.from_arrays(offsets, pa.array(np.ascontiguousarray(vectors).reshape(-1)))
    return pa.table({KEY: pa.array(keys, pa.string()), "vector": column})
