"""The encoder that the settings name."""

from __future__ import annotations

import logging

from kohaku_lib.embedding.device import choose_device
from kohaku_lib.embedding.model_folder import model_folder
from kohaku_lib.embedding.openvino_runtime import has_openvino
from kohaku_lib.embedding.port import Encoder
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings

_LOGGER = logging.getLogger(__name__)


def encoder_for(settings: EmbeddingSettings) -> Encoder:
    """Return the encoder that `settings` name, loaded once per process.

    With backend "auto" a CPU runs the model by OpenVINO where that is installed and takes it, else torch does.
    Raises ModelError where the model cannot be had, or `dim` is more than it has.

    >>> encoder_for(EmbeddingSettings()).dim
    384
    """
    device = choose_device(settings.device)
    encoder = _by_openvino(settings, device) or _by_torch(settings, device)
    if settings.dim is not None and settings.dim > encoder.dim:
        msg = f"embedding.dim is {settings.dim}, but the model {settings.model!r} has {encoder.dim} dimensions"
        raise ModelError(msg)
    return encoder


def _by_openvino(settings: EmbeddingSettings, device: str) -> Encoder | None:
    if settings.backend == "torch" or device != "cpu":
        return None
    if not has_openvino():
        if settings.backend == "auto":
            return None
        msg = "embedding.backend is 'openvino', but that package is not installed; install it or set 'auto'"
        raise ModelError(msg)
    from kohaku_lib.embedding.openvino_encoder import load_openvino
    from kohaku_lib.embedding.openvino_model import ConversionError

    try:
        return load_openvino(settings.model)
    except ConversionError as error:
        if settings.backend == "openvino":
            msg = f"embedding.backend is 'openvino', but {error}; set it to 'auto' or 'torch'"
            raise ModelError(msg) from error
        _LOGGER.info("%s; sentence-transformers runs it instead", error)
        return None


def _by_torch(settings: EmbeddingSettings, device: str) -> Encoder:
    from kohaku_lib.embedding.torch_encoder import load_torch

    return load_torch(str(model_folder(settings.model)), device)
