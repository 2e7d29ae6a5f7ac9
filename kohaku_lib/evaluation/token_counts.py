"""Token counts of texts by a model's tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from kohaku_lib.embedding.model_folder import model_folder
from kohaku_lib.errors import ModelError

BATCH = 256  # texts per call


@dataclass(frozen=True, slots=True)
class TokenCount:
    """The tokens of `texts` texts without special tokens; the last three fields are 0 without texts."""

    texts: int
    tokens: int
    mean: float
    p95: float
    longest: int


class TokenCounter:
    """Counts by the tokenizer of `model`: "minilm", a folder with a tokenizer.json, or a Hugging Face model name.

    Raises:
        ModelError: The model has no tokenizer.json.

    >>> TokenCounter("minilm").counts(["A datacenter.", ""]).tolist()
    [5, 0]
    """

    def __init__(self, model: str, revision: str | None = None) -> None:
        from tokenizers import Tokenizer

        path = model_folder(model, revision, setting="--tokenizer") / "tokenizer.json"
        if not path.is_file():
            msg = f"a tokenizer must be a tokenizer.json in the folder of its model, but {str(path)!r} does not exist"
            raise ModelError(msg)
        self._tokenizer: Any = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def counts(self, texts: Iterable[str]) -> np.ndarray:
        """Return the token count of each of `texts`, (n,) int64, computed in batches of 256."""
        remaining = iter(texts)
        batches = iter(partial(_next_batch, remaining), [])
        batch_counts = [self._count_batch(batch) for batch in batches]
        return np.concatenate([np.empty(0, np.int64), *batch_counts])

    def _count_batch(self, batch: Sequence[str]) -> np.ndarray:
        encodings = self._tokenizer.encode_batch(batch, add_special_tokens=False)
        return np.array([len(encoding.ids) for encoding in encodings], np.int64)


def summarise_counts(counts: np.ndarray) -> TokenCount:
    """Return the summary of token counts, (n,).

    >>> summarise_counts(np.array([1, 2, 9]))
    TokenCount(texts=3, tokens=12, mean=4.0, p95=8.3, longest=9)
    """
    if not counts.size:
        return TokenCount(0, 0, 0.0, 0.0, 0)
    p95 = round(float(np.quantile(counts, 0.95)), 2)
    return TokenCount(counts.size, int(counts.sum()), float(counts.mean()), p95, int(counts.max()))


def _next_batch(remaining: Iterable[str]) -> list[str]:
    return list(islice(remaining, BATCH))
