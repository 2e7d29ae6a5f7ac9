"""The key under which the vectors of a model are cached."""

from __future__ import annotations

from typing import Literal

from kohaku_lib.digests import digest
from kohaku_lib.embedding.device import device_and_precision
from kohaku_lib.embedding.model_folder import model_identity
from kohaku_lib.settings import EmbeddingSettings

Side = Literal["document", "query"]


def model_key(settings: EmbeddingSettings, side: Side = "document") -> str:
    """Return the key of the vectors that `settings` give: model content, precision, task and side.

    Vectors are cached with all their dimensions, so `dim` is not part of it; nor are device and batch size.
    Raises ModelError where the model is not at hand.

    >>> model_key(EmbeddingSettings(dim=128)) == model_key(EmbeddingSettings())
    True
    >>> model_key(EmbeddingSettings(), "query") == model_key(EmbeddingSettings())
    False
    """
    _, precision = device_and_precision(settings.device)
    return digest(
        {"model": model_identity(settings.model), "precision": precision, "task": settings.task, "side": side}
    )
