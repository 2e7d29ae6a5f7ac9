"""The token vectors of a snapshot, and MaxSim between those of a query and of some candidates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from kohaku_lib.embedding.token_vectors import vectors_in
from kohaku_lib.index.late.residuals import SAMPLE, ResidualCodec
from kohaku_lib.index.rows.row_lookup import RowLookup, hashes_of
from kohaku_lib.index.rows.table_rows import TableRows
from kohaku_lib.index.vectors.search_order import SearchOrder
from kohaku_lib.storage.matrix_files import map_matrix

_CODES, _SPANS = "codes.npy", "spans.npy"
_TEXTS_AT_ONCE, _TOKENS_AT_ONCE = 2**10, 2**10
_SHORTEST = 1e-6  # length of a vector of zeros, whose cosine is 0


def write_tokens(
    folder: Path,
    tokens: TableRows,
    lookup: RowLookup,
    order: SearchOrder,
    parent_rows: np.ndarray,
    compression: Literal["int8", "residuals"],
) -> None:
    """Write `tokens` (TOKEN_VECTORS, in the order of the nodes) into `folder`, compressed.

    `parent_rows` (nodes,) are those of all nodes; the tokens of a paragraph are those of its sentences.
    """
    folder.mkdir()
    counts, dim = _token_counts(tokens)
    starts = np.cumsum([0, *counts])
    np.save(folder / _SPANS, _spans(lookup.rows(hashes_of(tokens)), starts, order, parent_rows))
    codec = None
    if compression == "residuals" and starts[-1]:
        codec = ResidualCodec.fitted(_sample(tokens, int(starts[-1]), dim))
        codec.save(folder)
    kind, width = (np.uint8, codec.width) if codec else (np.int8, dim)
    blocks = _code_batches(tokens, dim)
    encoded = (codec.encode(vectors_in(codes)) if codec else codes for codes in blocks)
    _write_codes(folder / _CODES, (int(starts[-1]), width), kind, encoded)


class TokenIndex:
    """The token vectors in a folder by `write_tokens`, mapped when they are compared. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def scores(self, query: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return MaxSim of the token vectors `query` (tokens, dim) with each of the searched rows `rows`, (rows,).

        That is the mean over the query's tokens of the largest cosine with a token of the text, at most 1; -inf for a
        text without tokens, and for all texts if the query has none. After Khattab and Zaharia, "ColBERT" (2020).
        """
        scores = np.full(len(rows), -np.inf)
        lows, highs = self._spans[rows].T
        known = np.flatnonzero(lows < highs)
        if not len(known) or not len(query):
            return scores
        wanted = np.zeros(int(highs[known].max()) - (first := int(lows[known].min())), bool)
        for low, high in zip(lows[known] - first, highs[known] - first, strict=True):
            wanted[low:high] = True
        tokens = np.flatnonzero(wanted) + first
        cosines = self._cosines(tokens, query)
        # One more row, as a span may end behind the last one.
        cosines = np.vstack([cosines, np.full((1, len(query)), -np.inf, cosines.dtype)])
        bounds = np.searchsorted(tokens, np.stack([lows[known], highs[known]], axis=1).ravel())
        scores[known] = np.maximum.reduceat(cosines, bounds, axis=0)[::2].mean(axis=1)
        return scores

    def _cosines(self, tokens: np.ndarray, query: np.ndarray) -> np.ndarray:
        """Return the cosines (tokens, query tokens), computed in blocks that fit into a core's cache."""
        cosines = np.empty((len(tokens), len(query)), np.float32)
        for low in range(0, len(tokens), _TOKENS_AT_ONCE):
            codes = self._codes[tokens[low : low + _TOKENS_AT_ONCE]]
            vectors = self._codec.decode(codes) if self._codec else codes.astype(np.float32)
            lengths = np.sqrt(np.einsum("td,td->t", vectors, vectors))
            cosines[low : low + len(codes)] = (vectors @ query.T) / np.maximum(lengths, _SHORTEST)[:, None]
        return cosines

    @cached_property
    def _codec(self) -> ResidualCodec | None:
        return ResidualCodec.load(self._folder) if self._codes.dtype == np.uint8 else None

    @cached_property
    def _codes(self) -> np.ndarray:
        return map_matrix(self._folder / _CODES)

    @cached_property
    def _spans(self) -> np.ndarray:
        return map_matrix(self._folder / _SPANS)


def _spans(node_rows: np.ndarray, starts: np.ndarray, order: SearchOrder, parent_rows: np.ndarray) -> np.ndarray:
    """Return the first token of each searched row and the one behind its last, (searched, 2); equal ones if it has none."""
    low = np.full(order.nodes, starts[-1], np.int64)
    high = np.zeros(order.nodes, np.int64)
    known = node_rows >= 0
    for rows in (node_rows[known], parent_rows[node_rows[known]]):
        is_node = rows >= 0
        np.minimum.at(low, rows[is_node], starts[:-1][known][is_node])
        np.maximum.at(high, rows[is_node], starts[1:][known][is_node])
    high = np.maximum(low, high)
    return np.stack([low, high], axis=1)[order.node_rows[: order.searched]]


def _token_counts(tokens: TableRows) -> tuple[np.ndarray, int]:
    """Return the number of token vectors of each text, and their dimensions."""
    counts: list[np.ndarray] = [np.zeros(0, np.int64)]
    dim = 1
    for batch in tokens.select(["codes", "dim"]).batches(_TEXTS_AT_ONCE):
        dims = batch.column("dim").to_numpy()
        dim = int(dims.max(initial=dim))
        counts.append(np.array([len(codes) for codes in batch.column("codes").to_pylist()], np.int64) // dim)
    return np.concatenate(counts), dim


def _code_batches(tokens: TableRows, dim: int) -> Iterator[np.ndarray]:
    """Yield the codes of all tokens, (tokens, dim) int8."""
    for batch in tokens.select(["codes"]).batches(_TEXTS_AT_ONCE):
        joined = b"".join(batch.column("codes").to_pylist())
        yield np.frombuffer(joined, np.int8).reshape(-1, dim)


def _sample(tokens: TableRows, count: int, dim: int) -> np.ndarray:
    """Return the vectors of about SAMPLE tokens at equal distances."""
    step = -(-count // SAMPLE)
    return np.concatenate([vectors_in(codes[::step]) for codes in _code_batches(tokens, dim)])


def _write_codes(path: Path, shape: tuple[int, int], kind: type[np.generic], blocks: Iterator[np.ndarray]) -> None:
    if not shape[0]:
        np.save(path, np.empty(shape, kind))
        return
    target = np.lib.format.open_memmap(path, "w+", kind, shape)
    low = 0
    for block in blocks:
        target[low : low + len(block)] = block
        low += len(block)
    target.flush()
