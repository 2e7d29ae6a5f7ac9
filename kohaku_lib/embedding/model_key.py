"""Cache keys of embedding models."""

from __future__ import annotations

from kohaku_lib.digests import digest
from kohaku_lib.embedding.encoder_selection import encoder_for
from kohaku_lib.embedding.encoders.interface import Side, served_kind
from kohaku_lib.embedding.model_folder import model_identity
from kohaku_lib.settings import EmbeddingSettings


def model_key(settings: EmbeddingSettings, side: Side = "document") -> str:
    """Return the cache key of the vectors under `settings`: model content, precision, task and side.

    Vectors are cached with all their dimensions, so `dim` is not included; neither are device, backend and `long_texts`, as
    windowed texts have separate keys within the cache.

    >>> model_key(EmbeddingSettings(dim=128)) == model_key(EmbeddingSettings())
    True
    >>> model_key(EmbeddingSettings(), "query") == model_key(EmbeddingSettings())
    False

    Raises:
        ModelError: The model is unavailable.

    """
    parts = {
        "model": model_identity(settings.model, settings.revision),
        "precision": encoder_for(settings).precision,
        "task": settings.task,
        "side": side,
    }
    served = served_kind(settings.model)
    if served is not None:
        parts |= {key.removeprefix("server_"): getattr(settings, key) for key in served.settings_keys}
    return digest(parts)
