"""Device selection."""

from __future__ import annotations

import sys
from pathlib import Path

from kohaku_lib.errors import ModelError

_GPU_FILES = ("/dev/nvidia0", "/dev/dxg", "/dev/kfd")  # CUDA, CUDA within Windows, ROCm


def choose_device(wanted: str) -> str:
    """Return the device for `wanted`; "auto" means CUDA, else MPS, else CPU.

    Without device files of a GPU, "auto" returns "cpu" without importing torch, which takes seconds.

    >>> choose_device("cpu")
    'cpu'

    Raises:
        ModelError: This machine has no such device.

    """
    if wanted == "cpu" or (wanted == "auto" and not _may_have_gpu()):
        return "cpu"
    import torch

    has = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wanted == "auto":
        return next(name for name, present in has.items() if present)
    if not has[wanted]:
        msg = f"embedding.device is {wanted!r}, but this machine has none: set it to 'auto' or 'cpu'"
        raise ModelError(msg)
    return wanted


def _may_have_gpu() -> bool:
    return sys.platform != "linux" or any(Path(name).exists() for name in _GPU_FILES)
