"""What all models that torch runs share: they are loaded one at a time, and halve what does not fit into memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")
LOADING = threading.Lock()


def in_halves(encode: Callable[[list[Item]], np.ndarray], items: list[Item]) -> np.ndarray:
    """Return `encode(items)`; items that do not fit into the device's memory are halved until they do.

    Raises torch.OutOfMemoryError where a single one does not fit.
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
    r"""Return the first line of what `error` says; models raise whole pages.

    >>> reason_of(ValueError("no weights\nhelp: ..."))
    'no weights'
    """
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def untrusted(name: str) -> str:
    """Return the sentence that refuses the model `name` because it brings code of its own.

    >>> untrusted("example/model")[:63]
    "the embedding model 'example/model' runs Python code of its own"
    """
    return (
        f"the embedding model {name!r} runs Python code of its own; set "
        "embedding.trust_remote_code = true if you trust it"
    )
