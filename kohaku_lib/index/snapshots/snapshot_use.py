"""Which index versions are open, in this and in other processes, so that none is removed from under its readers.

A reader shares the lock of the version's description for as long as it lives, however it ends; who removes a version
needs that lock alone. Where there are no such locks (Windows), a folder with open files cannot be renamed anyway.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from pathlib import Path

from kohaku_lib.errors import StoreError
from kohaku_lib.index.snapshots.snapshot_files import META

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


def hold_open(reader: object, folder: Path) -> None:
    """Keep the index version `folder` from being removed until `reader` is gone.

    Raises StoreError where it is just being removed.
    """
    descriptor = os.open(folder / META, os.O_RDONLY)
    weakref.finalize(reader, os.close, descriptor)
    if not _locked(descriptor, shared=True) or not _is_still(descriptor, folder / META):
        msg = f"the index {folder.name!r} is just being removed, as a later one is published; ask again"
        raise StoreError(msg)


def set_aside(folder: Path, aside: Path) -> bool:
    """Rename the index version `folder` to `aside` and return True; False where somebody has it open.

    On file systems without locks it cannot be known, and it is renamed; what is open stays readable, new files do not.
    """
    descriptor = os.open(folder / META, os.O_RDWR)
    try:
        if _locked(descriptor, shared=False):
            with suppress(PermissionError):  # Windows, where files are open
                folder.replace(aside)
    finally:
        os.close(descriptor)
    return not folder.exists()


def _locked(descriptor: int, *, shared: bool) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    return True


def _is_still(descriptor: int, path: Path) -> bool:
    """Tell whether `path` still leads to the opened file: it was renamed where it does not."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
