"""Memory limits of worker processes, enforced by the kernel on address space (not on macOS)."""

from __future__ import annotations

import contextlib
import resource

OCR_MEMORY_MB = 2048  # reserved by an engine's models and threads in addition to the document; half of it is used


def limit_memory(limit_mb: int) -> None:
    """Limit the address space of this process to `limit_mb` MiB."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_limit_bytes(limit_mb, hard), hard))


def lift_memory_limit() -> None:
    """Remove the memory limit of this process."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def allow_ocr_memory() -> None:
    """Raise the memory limit of this process, if any, by the needs of an OCR engine."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY:
        limit_memory((allowed >> 20) + OCR_MEMORY_MB)


def limit_ocr_command(pid: int) -> None:
    """Limit the memory of an OCR child process (Linux only)."""
    if hasattr(resource, "prlimit"):
        with contextlib.suppress(ProcessLookupError):  # the process has already ended
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.prlimit(pid, resource.RLIMIT_AS, (_limit_bytes(OCR_MEMORY_MB, hard), hard))


def _limit_bytes(limit_mb: int, hard: int) -> int:
    limit = limit_mb << 20
    return limit if hard == resource.RLIM_INFINITY else min(limit, hard)
