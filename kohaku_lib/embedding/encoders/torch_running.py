"""Shared helpers of torch models: the loading lock, and splitting batches that exceed memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings

Item = TypeVar("Item")
LOADING = threading.Lock()


def in_halves(encode: Callable[[list[Item]], np.ndarray], items: list[Item]) -> np.ndarray:
    """Return `encode(items)`, halving the batch while it exceeds the device's memory.

    Raises:
        torch.OutOfMemoryError: A single item does not fit.

    """
    import torch

    try:
        return encode(items)
    except torch.OutOfMemoryError:
        if len(items) == 1:
            raise
    torch.cuda.empty_cache()
    half = len(items) // 2
    return np.concatenate([in_halves(encode, items[:half]), in_halves(encode, items[half:])])


def reason_of(error: Exception) -> str:
    r"""Return the first line of the message of `error`, as models raise long ones.

    >>> reason_of(ValueError("no weights\nhelp: ..."))
    'no weights'
    """
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def check_trusted(settings: EmbeddingSettings) -> None:
    """Check that the model of `settings` may run code of its own.

    Raises:
        ModelError: It may not.

    """
    if not settings.trust_remote_code:
        raise ModelError(untrusted(settings.model))


def untrusted(name: str) -> str:
    """Return the error message for the model `name`, which requires remote code.

    >>> untrusted("example/model")[:52]
    "the embedding model 'example/model' runs remote code"
    """
    return (
        f"the embedding model {name!r} runs remote code (Python); set "
        "embedding.trust_remote_code = true if you trust it"
    )
