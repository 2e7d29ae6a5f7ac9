"""The memory that a document may take, which the kernel measures as address space; macOS does not enforce it."""

from __future__ import annotations

import contextlib
import resource

OCR_MEMORY_MB = 2048  # what the models and threads of an engine reserve beside the document; they use half of it


def limit_memory(limit_mb: int) -> None:
    """Let no allocation of this process succeed that takes it over `limit_mb` MiB."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_bytes(limit_mb, hard), hard))


def lift_memory_limit() -> None:
    """Let this process take what the system gives."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def allow_ocr_memory() -> None:
    """Raise the limit of this process, where it has one, by what an OCR engine needs."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY:
        limit_memory((allowed >> 20) + OCR_MEMORY_MB)


def limit_ocr_command(pid: int) -> None:
    """Limit the memory of a command that reads a picture for this process, on Linux."""
    if hasattr(resource, "prlimit"):
        with contextlib.suppress(ProcessLookupError):  # it has ended
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.prlimit(pid, resource.RLIMIT_AS, (_bytes(OCR_MEMORY_MB, hard), hard))


def _bytes(limit_mb: int, hard: int) -> int:
    limit = limit_mb << 20
    return limit if hard == resource.RLIM_INFINITY else min(limit, hard)
