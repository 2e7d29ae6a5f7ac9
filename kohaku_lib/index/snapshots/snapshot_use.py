"""Locks of open index versions across processes, so that no version is removed while it is read.

A reader holds a shared lock on the version's description during its lifetime; removal needs the exclusive lock. Without
such locks (Windows), a folder with open files cannot be renamed anyway.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from pathlib import Path

from kohaku_lib.errors import StoreError
from kohaku_lib.index.snapshots.snapshot_files import META
from kohaku_lib.storage.use import is_locked


def hold_open(reader: object, folder: Path) -> None:
    """Protect the index version `folder` from removal during the lifetime of `reader`.

    Raises StoreError if it is being removed.
    """
    descriptor = os.open(folder / META, os.O_RDONLY)
    weakref.finalize(reader, os.close, descriptor)
    if not is_locked(descriptor, shared=True) or not _is_still(descriptor, folder / META):
        msg = f"the index {folder.name!r} is being removed after the publication of a later one; try again"
        raise StoreError(msg)


def set_aside(folder: Path, aside: Path) -> bool:
    """Rename the index version `folder` to `aside` and return True; False if it is open.

    File systems without locks always rename: open files stay readable, others do not.
    """
    descriptor = os.open(folder / META, os.O_RDWR)
    try:
        if is_locked(descriptor, shared=False):
            with suppress(PermissionError):  # Windows: files are open
                folder.replace(aside)
    finally:
        os.close(descriptor)
    return not folder.exists()


def _is_still(descriptor: int, path: Path) -> bool:
    """Return whether `path` is still the open file, i.e. was not renamed."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
