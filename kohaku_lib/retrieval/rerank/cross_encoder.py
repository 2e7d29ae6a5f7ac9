"""Scores by a local cross-encoder."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kohaku_lib.digests import digest
from kohaku_lib.embedding.encoders.device import choose_device
from kohaku_lib.embedding.encoders.torch_running import LOADING, in_halves, reason_of
from kohaku_lib.embedding.model_folder import model_folder, model_identity, model_kind
from kohaku_lib.errors import ModelError
from kohaku_lib.retrieval.rerank.cached import cached
from kohaku_lib.retrieval.rerank.interface import RERANKERS, RerankDependencies, Reranker, RerankerKind
from kohaku_lib.settings import RerankSettings, Settings

_BATCH = 32


def build_cross_encoder(settings: RerankSettings, dependencies: RerankDependencies) -> Reranker:
    """Return the cached cross-encoder of `settings`; a model that cannot be loaded fails on first use.

    Raises:
        ModelError: rerank.local_model is missing.

    """
    if settings.local_model is None:
        msg = "rerank.kind = 'local' needs rerank.local_model, a folder or a Hugging Face model name"
        raise ModelError(msg)
    reranker = CrossEncoderReranker(settings.local_model, dependencies.device)
    try:
        return cached(reranker, dependencies.cache, digest(["local", model_identity(settings.local_model)]))
    except ModelError:
        return reranker


def model_content(settings: Settings) -> str | None:
    """Return the name of the cross-encoder; for a folder the digest of its content, independent of its path."""
    name = settings.rerank.local_model
    return model_identity(name) if name and model_kind(name) == "folder" else name


class CrossEncoderReranker:
    """A sentence-transformers cross-encoder with one output, on `device`; its logits become scores by a sigmoid.

    `model` is a folder or a Hugging Face model name. It is loaded on first use, once per process; custom model code is
    never executed.
    """

    def __init__(self, model: str, device: str = "auto") -> None:
        self._model, self._device = model, device
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The name of the model or its folder."""
        return f"local:{Path(self._model).name if Path(self._model).is_dir() else self._model}"

    def scores(self, query: str, texts: Sequence[str], question_id: str) -> Sequence[float | None]:
        """Return the score of each text, from 0 to 1.

        Raises:
            ModelError: The model cannot be loaded.
        """
        model = load_cross_encoder(self._model, self._device)
        order = np.argsort([-len(text) for text in texts], kind="stable")  # batches are padded to their longest text
        pairs: list[tuple[str, str]] = [(query, str(texts[at])) for at in order.tolist()]
        with self._lock:
            parts = [in_halves(model.predict, pairs[at : at + _BATCH]) for at in range(0, len(pairs), _BATCH)]
        scores = np.empty(len(texts))
        scores[order] = np.concatenate(parts) if parts else []
        return scores.tolist()


class _LoadedModel:
    """A loaded cross-encoder."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def predict(self, pairs: list[tuple[str, str]]) -> np.ndarray:
        """Return the score of each pair, (n,) from 0 to 1."""
        import torch

        options = {"activation_fn": torch.nn.Sigmoid(), "show_progress_bar": False, "batch_size": len(pairs)}
        return np.asarray(self._model.predict(pairs, **options), np.float64).reshape(len(pairs))


def load_cross_encoder(name: str, device: str) -> _LoadedModel:
    """Return the cross-encoder `name` on `device`, loaded once per process.

    Raises:
        ModelError: The model cannot be loaded.
    """
    with LOADING:
        return _load_model(name, model_folder(name, setting="rerank.local_model"), choose_device(device))


@lru_cache(maxsize=2)
def _load_model(name: str, folder: Path, device: str) -> _LoadedModel:
    import torch
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging

    logging.disable_progress_bar()
    precision = torch.float16 if device == "cuda" else torch.float32
    try:
        model = CrossEncoder(
            str(folder),
            device=device,
            local_files_only=True,
            model_kwargs={"dtype": precision},
            trust_remote_code=False,
        )
    except Exception as error:  # a broken model file may raise any exception
        why = reason_of(error)
        if "trust_remote_code" in str(error):
            why = "it requires custom Python code, which is not executed; set rerank.local_model to another one"
        msg = f"the cross-encoder {name!r} cannot be loaded by sentence-transformers: {why}"
        raise ModelError(msg) from error
    if model.num_labels != 1:
        msg = f"rerank.local_model must be a cross-encoder with one output, but {name!r} has {model.num_labels}"
        raise ModelError(msg)
    return _LoadedModel(model)


RERANKERS.register(
    RerankerKind(
        "local",
        build_cross_encoder,
        settings_keys=("rerank.local_model",),
        needs=("rerank.local_model",),
        identities={"rerank.local_model": model_content},
        order=3,
    )
)
