"""Vectors of distinct texts, taken from the cache where they are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from kohaku_lib.digests import text_sha256
from kohaku_lib.embedding.encoder import check_dim, encoder_for
from kohaku_lib.embedding.encoders.port import Chunk, Encoder, ImageEncoder, Side
from kohaku_lib.embedding.vectors import normalized
from kohaku_lib.embedding.windows import mean_vectors
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage.caches.row_cache import KEY, RowCache

Progress = Callable[[int, int], None]  # (texts done, texts to do)
EMBEDDING_CACHE_SCHEMA = pa.schema([pa.field("vector", pa.list_(pa.float32()), nullable=False)])
_WINDOWED = ".windows"  # behind the key of a text that is longer than the model reads, as the mean of its windows
_LONG_AT_ONCE = 256  # texts


@dataclass(slots=True)
class Spent:
    """What computing vectors came to, in distinct texts; `billed_tokens` are a server's, None where it did not say.

    `truncated` counts the texts whose vectors were known before, too.
    """

    computed: int = 0
    truncated: int = 0
    windowed: int = 0
    windows: int = 0
    billed_tokens: int | None = 0

    def add(self, chunk: Chunk) -> None:
        """Count the truncated texts and the bill of `chunk`."""
        self.truncated += chunk.truncated
        known = self.billed_tokens is not None and chunk.billed_tokens is not None
        self.billed_tokens = (self.billed_tokens or 0) + (chunk.billed_tokens or 0) if known else None


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors in the order of the texts, and what they cost."""

    vectors: np.ndarray  # (n, dim), float32, rows of length 1 or 0
    reused: int  # distinct texts
    spent: Spent
    most_tokens: int | None


def embed(
    texts: Sequence[str],
    settings: EmbeddingSettings,
    cache: RowCache | None,
    side: Side,
    progress: Progress | None = None,
    encoder: Encoder | None = None,
) -> Embedded:
    """Return the vectors of `texts`; equal texts are computed once, and those that `cache` holds not at all.

    The key in the cache is the SHA-256 of the text, so a cache must belong to one `model_key`; it holds all
    dimensions. With `long_texts` "window" only the texts that are longer than the model reads have another key.
    Computed vectors are durable after every few batches, and `progress` is told then. `encoder` computes instead of
    the one that `settings` name. Raises ModelError.

    >>> embed(["one", "two", "one"], EmbeddingSettings(dim=8), None, "document").spent.computed
    2
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
    work = _Work(encoder, settings, side, keys, windows, ~vectors.known)
    if settings.long_texts == "truncate":
        known = [text for text, is_known in zip(distinct, vectors.known, strict=True) if is_known]
        work.spent.truncated = _too_long(encoder, known, side, settings.task)
    todo = int(work.missing.sum())
    for chunk_rows, found in work.chunks():
        vectors.put(chunk_rows, found)
        if cache is not None:
            cache.add_table(cache_rows([keys[row] for row in chunk_rows], found))
        work.spent.computed += len(chunk_rows)
        if progress is not None:
            progress(work.spent.computed, todo)
    everything = vectors.matrix(encoder)
    check_dim(settings, everything.shape[1])
    return Embedded(normalized(everything, settings.dim)[rows], reused, work.spent, encoder.most_tokens)


def _too_long(encoder: Encoder, texts: Sequence[str], side: Side, task: str) -> int:
    """Return how many of `texts` the model does not read whole."""
    parts = (texts[start : start + _LONG_AT_ONCE] for start in range(0, len(texts), _LONG_AT_ONCE))
    return sum(len(windows) > 1 for part in parts for windows in encoder.windows(part, side, task))


class Vectors:
    """Rows of vectors that are filled in piece by piece; the first piece tells how wide they are."""

    def __init__(self, count: int, model: str) -> None:
        self.known = np.zeros(count, dtype=bool)
        self._model = model
        self._rows: np.ndarray | None = None

    def put(self, rows: np.ndarray, vectors: np.ndarray) -> None:
        """Set the vectors of `rows`; raises ModelError where they are not as wide as those before."""
        if self._rows is None:
            self._rows = np.zeros((len(self.known), vectors.shape[1]), dtype=np.float32)
        if vectors.shape[1] != self._rows.shape[1]:
            msg = (
                f"the embedding model {self._model!r} gives {vectors.shape[1]} dimensions where it gave "
                f"{self._rows.shape[1]} before; it was exchanged under its name, so give the new one a name of its own"
            )
            raise ModelError(msg)
        self._rows[rows] = vectors
        self.known[rows] = True

    def recall(self, keys: Sequence[str], cache: RowCache | None) -> int:
        """Put what `cache` holds of `keys`, which stand in the order of the rows; return how many these are."""
        table = cache.get_many(keys) if cache is not None and keys else None
        if table is None or not table.num_rows:
            return 0
        row_by_key = {key: row for row, key in enumerate(keys)}
        rows = np.array([row_by_key[key] for key in table[KEY].to_pylist()], dtype=np.int64)
        column = table["vector"].combine_chunks()
        self.put(rows, column.flatten().to_numpy(zero_copy_only=False).reshape(len(rows), -1))
        return len(rows)

    def matrix(self, encoder: Encoder | ImageEncoder) -> np.ndarray:
        """Return all rows; as wide as `encoder` says where there are none."""
        return np.zeros((len(self.known), encoder.dim), dtype=np.float32) if self._rows is None else self._rows


@dataclass(slots=True)
class _Work:
    """What the cache does not hold: the rows to compute, each of one window or several."""

    encoder: Encoder
    settings: EmbeddingSettings
    side: Side
    keys: list[str]
    windows: list[list[str]]
    missing: np.ndarray
    spent: Spent = field(default_factory=Spent)

    def chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield rows and their vectors: first the texts that are one window, then the others, some at a time."""
        is_long = np.array([len(parts) > 1 for parts in self.windows], dtype=bool)
        short = np.flatnonzero(self.missing & ~is_long)
        for chunk in self._encoded([self.windows[row][0] for row in short]):
            yield short[chunk.rows], chunk.vectors
        long = np.flatnonzero(self.missing & is_long)
        for start in range(0, len(long), _LONG_AT_ONCE):
            rows = long[start : start + _LONG_AT_ONCE]
            yield rows, self._means([self.windows[row] for row in rows])

    def _means(self, windows: list[list[str]]) -> np.ndarray:
        texts = [part for parts in windows for part in parts]
        vectors = Vectors(len(texts), self.settings.model)
        for chunk in self._encoded(texts):
            vectors.put(chunk.rows, chunk.vectors)
        owners = np.repeat(np.arange(len(windows)), [len(parts) for parts in windows])
        self.spent.windowed += len(windows)
        self.spent.windows += len(texts)
        return mean_vectors(vectors.matrix(self.encoder), owners)

    def _encoded(self, texts: list[str]) -> Iterator[Chunk]:
        for chunk in self.encoder.chunks(texts, self.side, self.settings.task) if texts else ():
            self.spent.add(chunk)
            yield chunk


def cache_rows(keys: Sequence[str], vectors: np.ndarray) -> pa.Table:
    """Return `vectors` (n, dim) as rows of the cache (EMBEDDING_CACHE_SCHEMA and the key).

    >>> cache_rows(["a"], np.array([[0.0, 1.0]], dtype=np.float32)).to_pylist()
    [{'key': 'a', 'vector': [0.0, 1.0]}]
    """
    offsets = pa.array(np.arange(len(keys) + 1, dtype=np.int32) * vectors.shape[1])
    column = pa.ListArray.from_arrays(offsets, pa.array(np.ascontiguousarray(vectors).reshape(-1)))
    return pa.table({KEY: pa.array(keys, pa.string()), "vector": column})
