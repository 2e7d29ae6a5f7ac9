"""A loaded model that turns texts into vectors."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from kohaku_lib.embedding.device import device_and_precision
from kohaku_lib.embedding.model_folder import model_folder
from kohaku_lib.embedding.model_key import Side
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import available_cores

_BATCHES_PER_CHUNK = 16  # a chunk is what a kill can lose
_CPU_BATCH_TOKENS = 1024
_LOADING = threading.Lock()


@dataclass(frozen=True)
class Encoder:
    """A sentence-transformers model on its device.

    >>> encoder = load_encoder("minilm", "cpu")
    >>> encoder.dim, encoder.token_counts(["one two"]).tolist()
    (384, [4])
    """

    model: Any
    dim: int
    most_tokens: int | None

    def token_counts(self, texts: Sequence[str]) -> np.ndarray:
        """Return the length of every text in tokens of the model, special ones included; int64 (n,)."""
        tokenizer = getattr(self.model, "tokenizer", None)
        if not texts or not callable(tokenizer):
            return np.array([len(text) // 4 for text in texts], dtype=np.int64)
        encoded: Any = tokenizer(list(texts), truncation=False, verbose=False, return_attention_mask=False)
        return np.array([len(ids) for ids in encoded["input_ids"]], dtype=np.int64)

    def chunks(
        self, texts: list[str], counts: np.ndarray, side: Side, task: str, batch_size: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield (rows, vectors) until every text has its vector (rows, dim), texts of equal length together."""
        order = np.argsort(-counts, kind="stable")
        start = 0
        while start < len(order):
            batch = self._batch_size(int(counts[order[start]]), batch_size)
            rows = order[start : start + batch * _BATCHES_PER_CHUNK]
            yield rows, self._encode([texts[row] for row in rows], side, task, batch)
            start += len(rows)

    def _batch_size(self, longest: int, most: int) -> int:
        """Return the texts per call: on a CPU, batches beyond its caches are slower, not faster."""
        if self.model.device.type != "cpu":
            return most
        tokens = min(longest, self.most_tokens or longest)
        return max(1, min(most, _CPU_BATCH_TOKENS // max(1, tokens)))

    def _encode(self, texts: list[str], side: Side, task: str, batch_size: int) -> np.ndarray:
        import torch

        encode = self.model.encode_query if side == "query" else self.model.encode_document
        arguments: dict[str, Any] = {"batch_size": batch_size, "show_progress_bar": False, "convert_to_numpy": True}
        prompt = self._prompt(side, task)
        if prompt:
            arguments["prompt_name"] = prompt
        try:
            return np.asarray(encode(texts, **arguments), dtype=np.float32)
        except torch.OutOfMemoryError:
            if batch_size == 1:
                raise
        return self._encode(texts, side, task, batch_size // 2)

    def _prompt(self, side: Side, task: str) -> str | None:
        """Return the model's prompt for the task, where it names one; the model's own choice otherwise."""
        names = ("query",) if side == "query" else ("passage", "document")
        prompts = getattr(self.model, "prompts", None) or {}
        return next(
            (f"{task}{mark}{name}" for mark in "._" for name in names if f"{task}{mark}{name}" in prompts), None
        )


def load_encoder(name: str, device: str) -> Encoder:
    """Return the model `name` on `device`, loaded once per process; raises ModelError where it cannot be."""
    with _LOADING:
        return _load(str(model_folder(name)), *device_and_precision(device))


def encoder_for(settings: EmbeddingSettings) -> Encoder:
    """Return the encoder that `settings` name; raises ModelError where `dim` is more than the model has."""
    encoder = load_encoder(settings.model, settings.device)
    if settings.dim is not None and settings.dim > encoder.dim:
        msg = f"embedding.dim is {settings.dim}, but the model {settings.model!r} has {encoder.dim} dimensions"
        raise ModelError(msg)
    return encoder


@lru_cache(maxsize=2)
def _load(folder: str, device: str, precision: str) -> Encoder:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # loading takes a moment; the bar would stand among our own lines
    torch.set_num_threads(available_cores())
    try:
        model = SentenceTransformer(
            folder, device=device, local_files_only=True, model_kwargs={"dtype": getattr(torch, precision)}
        )
    except (OSError, ValueError, ImportError, RuntimeError, KeyError) as error:
        reason = str(error).split("\n", 1)[0]
        msg = f"the embedding model in {folder!r} cannot be loaded by sentence-transformers: {reason}"
        raise ModelError(msg) from error
    dim = model.get_embedding_dimension()
    if dim is None:
        msg = f"the embedding model in {folder!r} does not say how many dimensions its vectors have"
        raise ModelError(msg)
    return Encoder(model, dim, model.max_seq_length)
