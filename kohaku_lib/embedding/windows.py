"""Splitting of texts over a model's limit into overlapping windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kohaku_lib.embedding.vectors import normalized

Spans = Sequence[tuple[int, int]]  # (start, end) in characters, per token
BYTES_PER_TOKEN = 4  # of English text; fewer in other languages
_OVERLAP = 8  # neighbouring windows share one part in 8
_MARGIN = 2  # tokens that a window may gain when tokenised separately


def windows_of(text: str, spans: Spans, most_tokens: int) -> list[str]:
    """Split `text` into windows of `most_tokens` tokens, given the `spans` of all its tokens.

    Neighbours share an eighth; the last window starts earlier rather than being shorter, so that all have equal weight. A
    text that fits is its only window.

    >>> windows_of("a b c d e", [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)], 3)
    ['a b c', 'c d e']
    """
    count = len(spans)
    if count <= most_tokens:
        return [text]
    step = most_tokens - max(1, most_tokens // _OVERLAP) if most_tokens > 1 else 1
    starts = [*range(0, count - most_tokens, step), count - most_tokens]
    return [text[spans[start][0] : spans[start + most_tokens - 1][1]] for start in starts]


def tokenized_windows(
    texts: Sequence[str], spans_of: Callable[[list[str]], list[Spans]], most_tokens: int
) -> list[list[str]]:
    """Return the windows of every text; `spans_of` is only called for texts of more than `most_tokens` bytes.

    `most_tokens` is the model's limit without prompt and special tokens; no token is shorter than a byte.
    """
    room = max(1, most_tokens - _MARGIN)
    windows = [[text] for text in texts]
    doubtful = [row for row, text in enumerate(texts) if len(text.encode("utf-8", "replace")) > most_tokens]
    for row, spans in zip(doubtful, spans_of([texts[row] for row in doubtful]) if doubtful else (), strict=True):
        if len(spans) > most_tokens:
            windows[row] = windows_of(texts[row], spans, room)
    return windows


def tokenizer_spans(tokenizer: Any, texts: list[str]) -> list[Spans]:
    """Return the token spans of each text by a tokenizer of transformers, without special tokens.

    For a slow tokenizer, which does not report spans, one token per four bytes is assumed.
    """
    if not getattr(tokenizer, "is_fast", False):
        return [estimated_spans(text) for text in texts]
    options = {"truncation": False, "add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
    offsets = tokenizer(texts, **options)["offset_mapping"]
    return [[(start, end) for start, end in spans] for spans in offsets]


def estimated_spans(text: str) -> Spans:
    """Return spans of four bytes each, as an estimate without a tokenizer.

    >>> estimated_spans("abcdefg")
    [(0, 4), (4, 7)]
    """
    size = max(1, round(BYTES_PER_TOKEN * len(text) / max(1, len(text.encode("utf-8", "replace")))))
    return [(start, min(start + size, len(text))) for start in range(0, len(text), size)]


def mean_vectors(vectors: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """Return the normalised mean of the normalised `vectors` (n, dim) of each owner; `owners` is sorted, from 0.

    >>> mean_vectors(np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 2.0]]), np.array([0, 0, 1])).astype(float).round(4).tolist()
    [[0.7071, 0.7071], [0.0, 1.0]]
    """
    starts = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
    return normalized(np.add.reduceat(normalized(vectors), starts, axis=0))
