"""Files that are either whole or not there."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], object], *, durable: bool = True) -> None:
    """Let `write` fill a temporary file beside `path`, make it durable and rename it to `path`.

    Parent folders are made. What is not `durable` need not wait for the disk, and may be torn after a power cut. Where
    `write` raises, the temporary file is removed and `path` stays as it was. A link stays one, to the new content; a
    device or pipe is written into.

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
    """Yield the temporary files beneath `folder` that a kill left behind; nobody may be writing meanwhile."""
    yield from sorted(path for path in folder.rglob("*.tmp") if path.is_file())
