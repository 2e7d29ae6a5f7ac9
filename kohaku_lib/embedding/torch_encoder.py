"""Texts to vectors by sentence-transformers: on a GPU, and for models that OpenVINO does not take."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from kohaku_lib.embedding.port import Chunk, Side, length_sorted_batches, prompt_for
from kohaku_lib.embedding.probes import PROBES
from kohaku_lib.embedding.vectors import normalized
from kohaku_lib.errors import ModelError
from kohaku_lib.storage import available_cores

_CPU_BATCH_TOKENS, _GPU_BATCH_TOKENS = 1024, 65_536
_BATCHES_PER_CHUNK = 16  # a chunk is what a kill can lose
_WINDOW_TEXTS = 16_384  # sorted together; bounds what is held at once
_LEAST_COSINE, _LEAST_MEAN_COSINE = 0.99, 0.9999
_LOADING = threading.Lock()


class TorchEncoder:
    """A sentence-transformers model on its device; `precision` is that of its weights."""

    def __init__(self, model: Any, dim: int, precision: str) -> None:
        self.dim: int = dim
        self.most_tokens: int | None = model.max_seq_length
        self.precision: str = precision
        self._model = model

    def chunks(self, texts: Sequence[str], side: Side, task: str) -> Iterator[Chunk]:
        """Yield the vectors of all `texts`, the longest of every 16,384 first."""
        prompt = prompt_for(getattr(self._model, "prompts", None) or {}, self._model.default_prompt_name, side, task)
        for start in range(0, len(texts), _WINDOW_TEXTS):
            window = list(texts[start : start + _WINDOW_TEXTS])
            counts = self._token_counts([prompt + text for text in window])
            most = self.most_tokens or int(counts.max(initial=1))
            on_cpu = self._model.device.type == "cpu"
            batches = length_sorted_batches(
                np.minimum(counts, most), _CPU_BATCH_TOKENS if on_cpu else _GPU_BATCH_TOKENS
            )
            while chosen := list(islice(batches, _BATCHES_PER_CHUNK)):
                rows = np.concatenate(chosen)
                vectors = np.concatenate(
                    [self._encode([window[row] for row in batch], side, prompt) for batch in chosen]
                )
                yield Chunk(rows + start, vectors, int((counts[rows] > most).sum()))

    def _token_counts(self, texts: list[str]) -> np.ndarray:
        tokenizer = getattr(self._model, "tokenizer", None)
        if not callable(tokenizer):
            return np.array([len(text) // 4 for text in texts], dtype=np.int64)
        encoded: Any = tokenizer(texts, truncation=False, verbose=False, return_attention_mask=False)
        return np.array([len(ids) for ids in encoded["input_ids"]], dtype=np.int64)

    def _encode(self, texts: list[str], side: Side, prompt: str) -> np.ndarray:
        """Return the vectors of one batch; one that does not fit into memory is halved until it does."""
        import torch

        encode = self._model.encode_query if side == "query" else self._model.encode_document
        try:
            found = encode(texts, batch_size=len(texts), prompt=prompt, show_progress_bar=False, convert_to_numpy=True)
            return np.asarray(found, dtype=np.float32)
        except torch.OutOfMemoryError:
            if len(texts) == 1:
                raise
            torch.cuda.empty_cache()
        half = len(texts) // 2
        return np.concatenate([self._encode(texts[:half], side, prompt), self._encode(texts[half:], side, prompt)])


def load_torch(folder: str, device: str) -> TorchEncoder:
    """Return the model in `folder` on `device`, loaded once per process; raises ModelError where it cannot be.

    float16 on CUDA; on a CPU bfloat16 where it multiplies in it natively (AVX-512 BF16) and the vectors of the
    probe texts stay near those of float32 (every cosine at least 0.99, their mean 0.9999), else float32.

    >>> from kohaku_lib.embedding.model_folder import model_folder
    >>> load_torch(str(model_folder("minilm")), "cpu").dim
    384
    """
    with _LOADING:
        return _load(folder, device)


@lru_cache(maxsize=2)
def _load(folder: str, device: str) -> TorchEncoder:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # loading takes a moment; the bar would stand among our own lines
    torch.set_num_threads(available_cores())
    precision = torch.float16 if device == "cuda" else torch.float32
    try:
        model = SentenceTransformer(folder, device=device, local_files_only=True, model_kwargs={"dtype": precision})
    except Exception as error:  # each part of a model file that may be broken raises its own
        reason = str(error).split("\n", 1)[0]
        msg = f"the embedding model in {folder!r} cannot be loaded by sentence-transformers: {reason}"
        raise ModelError(msg) from error
    dim = model.get_embedding_dimension()
    if dim is None:
        msg = f"the embedding model in {folder!r} does not say how many dimensions its vectors have"
        raise ModelError(msg)
    if device == "cpu" and _multiplies_bfloat16() and _is_accurate_in_bfloat16(model):
        return TorchEncoder(model, dim, "bfloat16")
    return TorchEncoder(model, dim, "float16" if device == "cuda" else "float32")


def _multiplies_bfloat16() -> bool:
    import torch

    probe = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(probe and probe())


def _is_accurate_in_bfloat16(model: Any) -> bool:
    """Leave `model` in bfloat16 where its vectors stay near those of float32, else in float32."""
    import torch

    probes = list(PROBES)
    exact = normalized(model.encode(probes, prompt="", show_progress_bar=False))
    model.to(torch.bfloat16)
    rounded = normalized(model.encode(probes, prompt="", show_progress_bar=False))
    cosines = (exact * rounded).sum(axis=1)
    is_accurate = bool(cosines.min() >= _LEAST_COSINE and cosines.mean() >= _LEAST_MEAN_COSINE)
    if not is_accurate:
        model.to(torch.float32)
    return is_accurate
