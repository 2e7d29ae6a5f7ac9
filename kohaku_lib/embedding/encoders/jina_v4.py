"""Jina embeddings v4: texts and images in one space."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kohaku_lib.embedding.encoders.interface import LOCAL_ENCODERS, Chunk, LocalKind, Side, length_sorted_batches
from kohaku_lib.embedding.encoders.torch_running import LOADING, check_trusted, in_halves, reason_of
from kohaku_lib.embedding.windows import tokenized_windows, tokenizer_spans
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings

if TYPE_CHECKING:
    from PIL.Image import Image

NAME = "jinaai/jina-embeddings-v4"
DIMS = (128, 256, 512, 1024, 2048)
TASKS = ("retrieval", "text-matching", "code")
_MOST_TOKENS = 8192  # the model's limit is 32,768, but a single longer text fills a GPU
_PROMPT_TOKENS = 8  # "Query: " or "Passage: " and the special tokens
_BATCH_TOKENS, _IMAGES_AT_ONCE = 16_384, 8
_BATCHES_PER_CHUNK = 4


class JinaV4Encoder:
    """Jina embeddings v4 on its device.

    Texts go through `encode_text(texts=, task=, prompt_name=)` and images through `encode_image(images=, task=)` with all
    2,048 dimensions, as in the model card (https://huggingface.co/jinaai/jina-embeddings-v4); fewer dimensions are the first
    ones, normalised again. The prompt is "query" for questions, "passage" for nodes, none for text-matching.

    Tested with a tiny random model with the same methods, loaded as remote code from a folder on a CPU. Not tested: the
    published weights, their code (which needs the package peft), float16 on a GPU.
    """

    def __init__(self, model: Any, tokenizer: Any, name: str, precision: str) -> None:
        self.dims: tuple[int, ...] = tuple(sorted(getattr(model.config, "matryoshka_dims", None) or DIMS))
        self.dim: int = self.dims[-1]
        self.most_tokens: int | None = _MOST_TOKENS
        self.precision: str = precision
        self._model, self._tokenizer, self._name = model, tokenizer, name

    def chunks(self, texts: Sequence[str], side: Side, task: str) -> Iterator[Chunk]:
        """Yield the vectors of all `texts`, longest first."""
        self._check_task(task)
        counts = np.array([len(spans) for spans in tokenizer_spans(self._tokenizer, list(texts))]) + _PROMPT_TOKENS
        encode = partial(self._encode_texts, side=side, task=task)
        batches = list(length_sorted_batches(np.minimum(counts, _MOST_TOKENS), _BATCH_TOKENS)) if len(texts) else []
        for start in range(0, len(batches), _BATCHES_PER_CHUNK):
            chosen = batches[start : start + _BATCHES_PER_CHUNK]
            rows = np.concatenate(chosen)
            vectors = np.concatenate([in_halves(encode, [*map(texts.__getitem__, batch)]) for batch in chosen])
            yield Chunk(rows, vectors, int((counts[rows] > _MOST_TOKENS).sum()))

    def windows(self, texts: Sequence[str], side: Side, task: str) -> list[list[str]]:
        """Split each text into windows of at most 8,192 tokens including the prompt."""
        return tokenized_windows(texts, partial(tokenizer_spans, self._tokenizer), _MOST_TOKENS - _PROMPT_TOKENS)

    def image_vectors(self, images: Sequence[Image], task: str) -> np.ndarray:
        """Return the vectors (n, dim) of `images`."""
        self._check_task(task)
        parts = [images[start : start + _IMAGES_AT_ONCE] for start in range(0, len(images), _IMAGES_AT_ONCE)]
        encode = partial(self._encode_images, task=task)
        return np.concatenate([np.zeros((0, self.dim), np.float32), *(in_halves(encode, list(part)) for part in parts)])

    def _check_task(self, task: str) -> None:
        if task not in TASKS:
            msg = f"embedding.task must be one of {', '.join(TASKS)} for {self._name!r}, got {task!r}"
            raise ModelError(msg)

    def _encode_texts(self, texts: list[str], side: Side, task: str) -> np.ndarray:
        prompt = {} if task == "text-matching" else {"prompt_name": "query" if side == "query" else "passage"}
        options = {"task": task, "batch_size": len(texts), "max_length": _MOST_TOKENS}
        return _as_matrix(self._model.encode_text(texts=texts, **options, **prompt))

    def _encode_images(self, images: list[Image], task: str) -> np.ndarray:
        return _as_matrix(self._model.encode_image(images=images, task=task, batch_size=len(images)))


def is_jina_v4(folder: Path) -> bool:
    """Return whether the configuration of the model in `folder` declares Jina embeddings v4.

    >>> is_jina_v4(Path("no such folder"))
    False
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        return "JinaEmbeddingsV4Model" in config.get("architectures", ())
    except (OSError, ValueError, AttributeError, TypeError):
        return False


def load_jina_v4(folder: Path, settings: EmbeddingSettings, device: str) -> JinaV4Encoder | None:
    """Load the model in `folder` on `device`, once per process; runs remote code. None for another model.

    The precision is float16 on CUDA where `settings` leave it open, else float32.

    Raises:
        ModelError: The model cannot be loaded, may run no code, or does not have the dimensions of `settings`.

    """
    if not is_jina_v4(folder):
        return None
    check_trusted(settings)
    with LOADING:
        encoder = _load_model(folder, settings.model, device, settings.precision == "auto")
    check_jina_v4_dim(settings.model, settings.dim, encoder.dims)
    return encoder


def check_jina_v4_dim(name: str, dim: int | None, dims: Sequence[int] = DIMS) -> None:
    """Check that `dim` is one of the model's Matryoshka dimensions; None means all.

    >>> check_jina_v4_dim("jinaai/jina-embeddings-v4", 512)

    Raises:
        ModelError: `dim` is another number.

    """
    if dim is not None and dim not in dims:
        msg = f"embedding.dim must be one of {', '.join(map(str, dims))} for {name!r}, got {dim}"
        raise ModelError(msg)


@lru_cache(maxsize=1)
def _load_model(folder: Path, name: str, device: str, rounds: bool) -> JinaV4Encoder:
    import torch
    from transformers import AutoModel, AutoTokenizer

    precision = "float16" if device == "cuda" and rounds else "float32"
    try:
        options: dict[str, Any] = {"trust_remote_code": True, "local_files_only": True}
        tokenizer = AutoTokenizer.from_pretrained(folder, **options)
        model = AutoModel.from_pretrained(folder, dtype=getattr(torch, precision), **options)
        return JinaV4Encoder(model.to(device).eval(), tokenizer, name, precision)
    except Exception as error:  # remote code may raise anything
        msg = f"the embedding model {name!r} cannot be loaded by transformers: {reason_of(error)}"
        raise ModelError(msg) from error


def _as_matrix(tensors: Any) -> np.ndarray:
    """Return a tensor, or a list of tensors, of any precision and device as a matrix (n, dim)."""
    import torch

    rows = tensors if isinstance(tensors, torch.Tensor) else torch.stack([torch.as_tensor(row) for row in tensors])
    return rows.detach().float().cpu().numpy()


def _check_name(settings: EmbeddingSettings) -> None:
    if settings.model == NAME:
        check_jina_v4_dim(settings.model, settings.dim)
        check_trusted(settings)


LOCAL_ENCODERS.register(
    LocalKind("jina_v4", load_jina_v4, load_for_images=load_jina_v4, check=_check_name, is_backend=False, order=0)
)
