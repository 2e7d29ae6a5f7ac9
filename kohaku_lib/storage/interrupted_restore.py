"""What a restore that was killed leaves beside the store: the new store half made, or the old one already moved away."""

from __future__ import annotations

import logging
import re
import shutil
import uuid
from pathlib import Path

from filelock import FileLock, Timeout

from kohaku_lib.errors import StoreError
from kohaku_lib.storage.store_paths import StorePaths

_OLD = ".old"
_LOGGER = logging.getLogger(__name__)


def new_place(store: Path) -> Path:
    """Return the folder beside `store` in which a restored one is prepared."""
    return store.with_name(f".{store.name}.{uuid.uuid4().hex[:8]}.restored")


def old_place(new: Path) -> Path:
    """Return where the old store lies while the folder `new` takes its place."""
    return new.with_name(f"{new.name}{_OLD}")


def put_back(store: Path) -> None:
    """Put the store back that a killed restore had moved away; nothing happens where there is a store, or none was moved.

    Raises:
        StoreError: A restore is under way, or the store cannot be moved back.
    """
    if store.exists():
        return
    for new in _places(store):
        old = old_place(new)
        if not (old.is_dir() and new.is_dir()):  # the new one took the place, and somebody has deleted it since
            continue
        try:
            with FileLock(StorePaths(old).lock, timeout=0):
                if not old.is_dir() or store.exists():  # another process was faster
                    return
                old.rename(store)
        except Timeout:
            msg = f"a backup is being restored into the store {str(store)!r}; try again after that"
            raise StoreError(msg) from None
        except OSError as error:
            if store.exists():
                return
            msg = (
                f"the store {str(store)!r} was moved to {str(old)!r} by a restore that was interrupted, and cannot be moved "
                f"back ({error.strerror}); rename it"
            )
            raise StoreError(msg) from error
        shutil.rmtree(new, ignore_errors=True)
        _LOGGER.warning(
            "a restore was interrupted, so the store %r is the one from before it; run 'kohaku restore' again",
            str(store),
        )
        return


def remove_remains(store: Path) -> None:
    """Delete what killed restores left beside a store that is there; the caller holds its lock."""
    for new in _places(store):
        shutil.rmtree(old_place(new), ignore_errors=True)
        shutil.rmtree(new, ignore_errors=True)


def _places(store: Path) -> list[Path]:
    """Return the folders in which killed restores prepared a new store; one that took its place is gone, its old one is not."""
    name = re.compile(rf"\.{re.escape(store.name)}\.[0-9a-f]{{8}}\.restored")
    found = {path.with_name(path.name.removesuffix(_OLD)) for path in store.parent.glob(".*.restored*")}
    return sorted(path for path in found if name.fullmatch(path.name))
