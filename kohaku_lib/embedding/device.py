"""Where a model runs, and in which precision."""

from __future__ import annotations

from kohaku_lib.errors import ModelError


def device_and_precision(wanted: str) -> tuple[str, str]:
    """Return the torch device for `wanted` ("auto": CUDA, else MPS, else CPU) and the precision of its weights.

    float16 on CUDA; on a CPU bfloat16 where it multiplies in it natively (AVX-512 BF16; the cosine to float32
    stays above 0.99), else float32. Raises ModelError where the device is absent.

    >>> device_and_precision("cpu")[1] in {"float32", "bfloat16"}
    True
    """
    import torch

    has = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    device = next(name for name in ("cuda", "mps", "cpu") if has[name]) if wanted == "auto" else wanted
    if not has[device]:
        msg = f"embedding.device is {wanted!r}, but this machine has none: set it to 'auto' or 'cpu'"
        raise ModelError(msg)
    if device == "cpu":
        return device, "bfloat16" if _multiplies_bfloat16() else "float32"
    return device, "float16" if device == "cuda" else "float32"


def _multiplies_bfloat16() -> bool:
    import torch

    probe = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(probe and probe())
