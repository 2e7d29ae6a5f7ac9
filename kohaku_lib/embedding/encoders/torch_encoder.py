"""Embedding by sentence-transformers: on a GPU, and for models that OpenVINO does not support."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kohaku_lib.embedding.encoders.interface import (
    LOCAL_ENCODERS,
    Chunk,
    LocalKind,
    Side,
    length_sorted_batches,
    prompt_for,
)
from kohaku_lib.embedding.encoders.probes import PROBES, are_accurate
from kohaku_lib.embedding.encoders.torch_running import LOADING, check_trusted, in_halves, reason_of, untrusted
from kohaku_lib.embedding.encoders.torch_tokens import token_vectors
from kohaku_lib.embedding.model_folder import hub_answers
from kohaku_lib.embedding.vectors import normalized
from kohaku_lib.embedding.windows import tokenized_windows, tokenizer_spans
from kohaku_lib.errors import ModelError
from kohaku_lib.parallel import available_cores
from kohaku_lib.settings import EmbeddingSettings

if TYPE_CHECKING:
    from PIL.Image import Image

_WITH_CODE = "jinaai/jina-embeddings-v3"  # runs code of its own
_MOST_TASK_TOKENS = 8192
_IMAGES_AT_ONCE = 16
_CPU_BATCH_TOKENS, _GPU_BATCH_TOKENS = 1024, 65_536
_BATCHES_PER_CHUNK = 16  # a chunk is the work lost with a kill
_WINDOW_TEXTS = 16_384  # sorted together; bounds memory


class TorchEncoder:
    """A sentence-transformers model on its device; `precision` is that of its weights.

    A model with a task argument, such as Jina embeddings v3, is called as `encode(texts, task=T, prompt=...)`, where T is one
    of its prompt names: "retrieval.query", "retrieval.passage", "text-matching" etc., with at most 8,192 tokens. A model with
    images in the same space supports these too.

    Tested with BERT with and without prompts, a tiny CLIP, and a tiny model with the interface of Jina v3, all on a CPU. Not
    tested: the published weights of Jina v3 and its code (which needs the package einops).
    """

    def __init__(self, model: Any, dim: int, precision: str, name: str = "") -> None:
        self.dim: int = dim
        self.takes_task: bool = "task" in model.get_model_kwargs()
        limit = model.max_seq_length
        self.most_tokens: int | None = min(limit or _MOST_TASK_TOKENS, _MOST_TASK_TOKENS) if self.takes_task else limit
        self.precision: str = precision
        self._model, self._name = model, name
        if self.takes_task:
            model.max_seq_length = self.most_tokens

    @property
    def takes_images(self) -> bool:
        """Whether the model embeds images into the space of its texts."""
        return bool(self._model.supports("image"))

    def chunks(self, texts: Sequence[str], side: Side, task: str) -> Iterator[Chunk]:
        """Yield the vectors of all `texts`, longest first within every 16,384."""
        prompt = self._prompt_for_side(side, task)
        encode = partial(self._encode_texts, side=side, prompt=prompt, task=task)
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
                vectors = np.concatenate([in_halves(encode, [window[row] for row in batch]) for batch in chosen])
                yield Chunk(rows + start, vectors, int((counts[rows] > most).sum()))

    def token_vectors(self, texts: Sequence[str], side: Side, task: str) -> list[np.ndarray]:
        """Return the vectors of the tokens of each text, see `token_vectors`."""
        return token_vectors(self._model, texts, self._prompt_for_side(side, task))

    def windows(self, texts: Sequence[str], side: Side, task: str) -> list[list[str]]:
        """Split each text into windows within the model's limit, prompt included."""
        if self.most_tokens is None:
            return [[text] for text in texts]
        taken = int(self._token_counts([self._prompt_for_side(side, task)])[0])  # including special tokens
        return tokenized_windows(texts, partial(tokenizer_spans, self._model.tokenizer), self.most_tokens - taken)

    def image_vectors(self, images: Sequence[Image], task: str) -> np.ndarray:
        """Return the vectors (n, dim) of `images`, in batches."""
        encode = partial(self._encode_images, task=task)
        parts = [images[start : start + _IMAGES_AT_ONCE] for start in range(0, len(images), _IMAGES_AT_ONCE)]
        return np.concatenate([np.zeros((0, self.dim), np.float32), *(in_halves(encode, list(part)) for part in parts)])

    def _prompt_for_side(self, side: Side, task: str) -> str:
        prompts: dict[str, str] = getattr(self._model, "prompts", None) or {}
        named = prompts.get(self._task_name(side, task)) if self.takes_task else None
        return prompt_for(prompts, self._model.default_prompt_name, side, task) if named is None else named

    def _token_counts(self, texts: list[str]) -> np.ndarray:
        tokenizer = getattr(self._model, "tokenizer", None)
        if not callable(tokenizer):
            return np.array([len(text) // 4 for text in texts], dtype=np.int64)
        encoded: Any = tokenizer(texts, truncation=False, verbose=False, return_attention_mask=False)
        return np.array([len(ids) for ids in encoded["input_ids"]], dtype=np.int64)

    def _encode_texts(self, texts: list[str], side: Side, prompt: str, task: str) -> np.ndarray:
        options = {"batch_size": len(texts), "prompt": prompt, "show_progress_bar": False, "convert_to_numpy": True}
        if self.takes_task:
            vectors = self._model.encode(texts, task=self._task_name(side, task), **options)
        else:
            encode = self._model.encode_query if side == "query" else self._model.encode_document
            vectors = encode(texts, **options)
        return np.asarray(vectors, dtype=np.float32)

    def _encode_images(self, images: list[Image], task: str) -> np.ndarray:
        named = {"task": self._task_name("document", task)} if self.takes_task else {}
        vectors = self._model.encode(images, batch_size=len(images), prompt="", show_progress_bar=False, **named)
        return np.asarray(vectors, dtype=np.float32)

    def _task_name(self, side: Side, task: str) -> str:
        """Return the model's name of `task` for a side."""
        prompts = getattr(self._model, "prompts", None) or {}
        names = [name for name in prompts if name not in ("query", "document")]  # defaults of every model
        wanted = (f"{task}.query" if side == "query" else f"{task}.passage", task)
        task_name = next((name for name in wanted if name in names), None)
        if task_name is None and any("." in name for name in names):
            offered = ", ".join(sorted({name.removesuffix(".query").removesuffix(".passage") for name in names}))
            msg = f"embedding.task must be one of {offered} for {self._name!r}, got {task!r}"
            raise ModelError(msg)
        return task_name or task


def load_torch(folder: Path, settings: EmbeddingSettings, device: str) -> TorchEncoder:
    """Load the model in `folder` on `device`, once per process.

    Where `settings` leave the precision open, it is float16 on CUDA; on a CPU with native bfloat16 (AVX-512 BF16) it is
    bfloat16 if the vectors of the probe texts stay close to float32 (see `are_accurate`). Else it is float32.

    >>> from kohaku_lib.embedding.model_folder import model_folder
    >>> load_torch(model_folder("minilm"), EmbeddingSettings(), "cpu").dim
    384

    Raises:
        ModelError: The model cannot be loaded.

    """
    with LOADING:
        return _load_encoder(folder, device, settings.model, settings.trust_remote_code, settings.precision == "auto")


def _load_for_images(folder: Path, settings: EmbeddingSettings, device: str) -> TorchEncoder | None:
    encoder = load_torch(folder, settings, device)
    return encoder if encoder.takes_images else None


def _check_name(settings: EmbeddingSettings) -> None:
    if settings.model == _WITH_CODE:
        check_trusted(settings)


@lru_cache(maxsize=2)
def _load_encoder(folder: Path, device: str, name: str, trusted: bool, rounds: bool) -> TorchEncoder:
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()  # would mix with our log lines
    torch.set_num_threads(available_cores())
    precision = "float16" if device == "cuda" and rounds else "float32"
    model = _load_model(folder, device, name, trusted, precision)
    dim = model.get_embedding_dimension()
    if dim is None:
        msg = f"the embedding model {name!r} does not report its number of dimensions"
        raise ModelError(msg)
    encoder = TorchEncoder(model, dim, precision, name)
    may_round = rounds and device == "cpu" and not encoder.takes_task and not encoder.takes_images
    if may_round and _multiplies_bfloat16() and _is_accurate_in_bfloat16(model):
        encoder.precision = "bfloat16"
    return encoder


def _load_model(folder: Path, device: str, name: str, trusted: bool, precision: str) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    options: dict[str, Any] = {
        "device": device,
        "trust_remote_code": trusted,
        "local_files_only": not (trusted and hub_answers()),  # remote code may be in another repository
        "model_kwargs": {"dtype": getattr(torch, precision)},
    }
    try:
        return SentenceTransformer(str(folder), **options)
    except Exception as error:  # a broken model file may raise anything
        if "trust_remote_code" in str(error):
            raise ModelError(untrusted(name)) from error
        msg = f"the embedding model {name!r} cannot be loaded by sentence-transformers: {reason_of(error)}"
        raise ModelError(msg) from error


def _multiplies_bfloat16() -> bool:
    import torch

    probe = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(probe and probe())


def _is_accurate_in_bfloat16(model: Any) -> bool:
    """Convert `model` to bfloat16 if its vectors stay close to float32, and return whether they do."""
    import torch

    probes = list(PROBES)
    exact = normalized(model.encode(probes, prompt="", show_progress_bar=False))
    model.to(torch.bfloat16)
    rounded = normalized(model.encode(probes, prompt="", show_progress_bar=False))
    is_accurate = are_accurate((exact * rounded).sum(axis=1))
    if not is_accurate:
        model.to(torch.float32)
    return is_accurate


LOCAL_ENCODERS.register(LocalKind("torch", load_torch, load_for_images=_load_for_images, check=_check_name, order=200))
