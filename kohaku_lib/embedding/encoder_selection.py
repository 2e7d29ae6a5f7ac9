"""Encoder selection from settings."""

from __future__ import annotations

import threading
from pathlib import Path

from kohaku_lib.embedding.encoders.device import choose_device
from kohaku_lib.embedding.encoders.interface import LOCAL_ENCODERS, Encoder, ImageEncoder, served_kind
from kohaku_lib.embedding.model_folder import check_folder, model_folder
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings

_LOADING = threading.Lock()


def encoder_for(settings: EmbeddingSettings) -> Encoder:
    """Return the encoder of `settings`, loaded once per process.

    With backend "auto", a CPU uses OpenVINO if it is installed and supports the model, else torch.

    >>> encoder_for(EmbeddingSettings()).dim
    384

    Raises:
        ModelError: The model is unavailable or has fewer dimensions than `settings.dim`.

    """
    served = served_kind(settings.model)
    if served is not None:
        return served.load(settings)
    with _LOADING:  # load once, even if several threads ask
        folder, device = _local_folder(settings), choose_device(settings.device)
        found = (kind.load(folder, settings, device) for kind in LOCAL_ENCODERS)
        encoder = next(encoder for encoder in found if encoder is not None)  # torch runs any model or says why not
    check_dim(settings, encoder.dim)
    return encoder


def image_encoder_for(settings: EmbeddingSettings) -> ImageEncoder:
    """Return an encoder of `settings` for images and texts.

    Raises:
        ModelError: The model supports texts only, or is unavailable.

    """
    if served_kind(settings.model) is None:
        folder, device = _local_folder(settings), choose_device(settings.device)
        found = (kind.load_for_images(folder, settings, device) for kind in LOCAL_ENCODERS)
        encoder = next((encoder for encoder in found if encoder is not None), None)
        if encoder is not None:
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
    served = served_kind(settings.model)
    if served is not None:
        served.load(settings)
        return
    _check_name(settings)
    check_folder(settings.model, settings.revision)


def _local_folder(settings: EmbeddingSettings) -> Path:
    _check_name(settings)
    return model_folder(settings.model, settings.revision)


def _check_name(settings: EmbeddingSettings) -> None:
    for kind in LOCAL_ENCODERS:
        kind.check(settings)
