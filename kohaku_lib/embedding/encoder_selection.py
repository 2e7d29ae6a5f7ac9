"""Encoder selection from settings."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from kohaku_lib.embedding.encoders.device import choose_device
from kohaku_lib.embedding.encoders.interface import Encoder, ImageEncoder
from kohaku_lib.embedding.encoders.jina_v4 import NAME as JINA_V4
from kohaku_lib.embedding.encoders.jina_v4 import JinaV4Encoder, check_jina_v4_dim, is_jina_v4, load_jina_v4
from kohaku_lib.embedding.encoders.served_encoder import load_served
from kohaku_lib.embedding.encoders.torch_running import untrusted
from kohaku_lib.embedding.model_folder import check_folder, model_folder, model_kind
from kohaku_lib.errors import ModelError
from kohaku_lib.openvino_runtime import has_openvino
from kohaku_lib.settings import EmbeddingSettings

if TYPE_CHECKING:
    from kohaku_lib.embedding.encoders.torch_encoder import TorchEncoder
WITH_CODE = ("jinaai/jina-embeddings-v3", JINA_V4)  # require trust_remote_code
_LOGGER = logging.getLogger(__name__)
_LOADING = threading.Lock()


def encoder_for(settings: EmbeddingSettings) -> Encoder:
    """Return the encoder of `settings`, loaded once per process.

    With backend "auto", a CPU uses OpenVINO if it is installed and supports the model, else torch.

    >>> encoder_for(EmbeddingSettings()).dim
    384

    Raises:
        ModelError: The model is unavailable or has fewer dimensions than `settings.dim`.

    """
    if model_kind(settings.model) == "server":
        return load_served(settings)
    with _LOADING:  # load once, even if several threads ask
        folder, device = _local_folder(settings), choose_device(settings.device)
        encoder = _by_jina(folder, settings, device) or _by_openvino(folder, settings, device)
        encoder = encoder or _by_torch(folder, settings, device)
    check_dim(settings, encoder.dim)
    return encoder


def image_encoder_for(settings: EmbeddingSettings) -> ImageEncoder:
    """Return an encoder of `settings` for images and texts.

    Raises:
        ModelError: The model supports texts only, or is unavailable.

    """
    if model_kind(settings.model) != "server":
        folder, device = _local_folder(settings), choose_device(settings.device)
        encoder = _by_jina(folder, settings, device) or _by_torch(folder, settings, device)
        if encoder.takes_images:
            return encoder
    msg = (
        f"embedding.images = 'direct' needs a model that embeds images, which {settings.model!r} does not; set "
        "embedding.model to a CLIP model or jinaai/jina-embeddings-v4, or embedding.images to 'captions'"
    )
    raise ModelError(msg)


def check_dim(settings: EmbeddingSettings, dim: int) -> None:
    """Check that the model has the dimensions that `settings` ask for.

    >>> check_dim(EmbeddingSettings(dim=256), 384)

    Raises:
        ModelError: `settings.dim` exceeds `dim`, that of the model.

    """
    if settings.dim is not None and settings.dim > dim:
        msg = f"embedding.dim is {settings.dim}, but the model {settings.model!r} has {dim} dimensions"
        raise ModelError(msg)


def check_at_hand(settings: EmbeddingSettings) -> None:
    """Check that the model of `settings` is available; nothing is downloaded, loaded or sent to a server.

    Raises:
        ModelError: The model is neither local nor on the hub, or the API key of its server is missing.

    """
    if model_kind(settings.model) == "server":
        load_served(settings)
        return
    _check_name(settings)
    check_folder(settings.model, settings.revision)


def _local_folder(settings: EmbeddingSettings) -> Path:
    _check_name(settings)
    return model_folder(settings.model, settings.revision)


def _check_name(settings: EmbeddingSettings) -> None:
    """Reject invalid settings by the model's name, before a large download."""
    if settings.model == JINA_V4:
        check_jina_v4_dim(settings.model, settings.dim)
    if settings.model in WITH_CODE and not settings.trust_remote_code:
        raise ModelError(untrusted(settings.model))


def _by_jina(folder: Path, settings: EmbeddingSettings, device: str) -> JinaV4Encoder | None:
    if not is_jina_v4(folder):
        return None
    if not settings.trust_remote_code:
        raise ModelError(untrusted(settings.model))
    encoder = load_jina_v4(folder, settings.model, device, rounds=_rounds(settings))
    encoder.check_dim(settings.dim)
    return encoder


def _by_openvino(folder: Path, settings: EmbeddingSettings, device: str) -> Encoder | None:
    if settings.backend == "torch" or device != "cpu":
        return None
    if not has_openvino():
        if settings.backend == "auto":
            return None
        msg = "embedding.backend is 'openvino', but OpenVINO is not installed; install it or set 'auto'"
        raise ModelError(msg)
    from kohaku_lib.embedding.encoders.openvino_encoder import load_openvino
    from kohaku_lib.embedding.encoders.openvino_model import ConversionError

    try:
        return load_openvino(str(folder), rounds=_rounds(settings))
    except ConversionError as error:
        if settings.backend == "openvino":
            msg = f"embedding.backend is 'openvino', but {error}; set it to 'auto' or 'torch'"
            raise ModelError(msg) from error
        _LOGGER.info("%s; falling back to sentence-transformers", error)
        return None


def _by_torch(folder: Path, settings: EmbeddingSettings, device: str) -> TorchEncoder:
    from kohaku_lib.embedding.encoders.torch_encoder import load_torch

    trusted, rounds = settings.trust_remote_code, _rounds(settings)
    return load_torch(folder, device, name=settings.model, trusted=trusted, rounds=rounds)


def _rounds(settings: EmbeddingSettings) -> bool:
    return settings.precision == "auto"
