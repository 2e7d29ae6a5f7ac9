"""Atomic file writes: a file is either complete or absent."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from pathlib import Path


def write_atomically(
    path: Path, write: Callable[[Path], object], *, durable: bool = True, exclusive: bool = False
) -> None:
    """Write a temporary file beside `path` with `write`, sync it to disk and rename it to `path`.

    Parent folders are created. With `durable=False` the file is not synced and may be torn by a power cut. If `write`
    raises, the temporary file is removed and `path` is unchanged. A symbolic link is followed and stays; a device or pipe
    is written to directly. With `exclusive=True` no file is replaced.

    Raises:
        FileExistsError: With `exclusive=True`, there is a file of this name; of several writers at once one succeeds.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "a" / "b.txt", lambda path: path.write_text("amber"))
    ...     (Path(folder) / "a" / "b.txt").read_text()
    'amber'
    """
    if path.exists() and not path.is_file() and not exclusive:
        write(path)
        return
    path = path.resolve() if path.is_symlink() and not exclusive else path
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        write(temporary)
        if durable:
            with temporary.open("rb") as stream:
                os.fsync(stream.fileno())
        if not exclusive or not _link(temporary, path):
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _link(source: Path, path: Path) -> bool:
    """Give a file a second name that nothing has; where a file system has no links, take the name for `replace`."""
    try:
        path.hardlink_to(source)
    except FileExistsError:
        raise
    except OSError:
        path.open("x").close()
        return False
    return True
