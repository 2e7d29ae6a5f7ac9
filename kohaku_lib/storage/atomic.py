"""Atomic file writes: a file is either complete or absent."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], object], *, durable: bool = True) -> None:
    """Write a temporary file beside `path` with `write`, sync it to disk and rename it to `path`.

    Parent folders are created. With `durable=False` the file is not synced and may be torn by a power cut. If `write`
    raises, the temporary file is removed and `path` is unchanged. A symbolic link is followed and stays; a device or pipe
    is written to directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "a" / "b.txt", lambda path: path.write_text("amber"))
    ...     (Path(folder) / "a" / "b.txt").read_text()
    'amber'
    """
    if path.exists() and not path.is_file():
        write(path)
        return
    path = path.resolve() if path.is_symlink() else path
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        write(temporary)
        if durable:
            with temporary.open("rb") as stream:
                os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def leftovers(folder: Path) -> Iterator[Path]:
    """Yield the temporary files below `folder` that a killed process left; no writer may be active meanwhile."""
    yield from sorted(path for path in folder.rglob("*.tmp") if path.is_file())
