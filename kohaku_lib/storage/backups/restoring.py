"""Restores a backup into a store, and checks backups; every file is compared with its hash."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from kohaku_lib.digests import file_sha256
from kohaku_lib.errors import StoreError
from kohaku_lib.masking import shown_url
from kohaku_lib.storage.backups.backup_manifest import BackedUpFile, Backup, backup_ids, read_backup
from kohaku_lib.storage.backups.copying import OF_THIS_MACHINE
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.interrupted_restore import new_place, old_place, put_back, remove_remains
from kohaku_lib.storage.lock import store_lock
from kohaku_lib.storage.own_files import other_files
from kohaku_lib.storage.use import sole_use


def find_backup(objects: ObjectStore, backup_id: str | None = None) -> Backup:
    """Return a backup, the newest by default; raises StoreError if there is none."""
    ids = backup_ids(objects)
    if not ids:
        msg = f"there is no backup in {shown_url(objects.url)!r}; make one with 'kohaku backup'"
        raise StoreError(msg)
    return read_backup(objects, backup_id or ids[0])


def damaged_objects(objects: ObjectStore, backup: Backup, folder: Path) -> Iterator[str]:
    """Yield the files of `backup` that are missing or altered; each is fetched into `folder` for a moment."""
    for name, entry in backup.files.items():
        if not _fetched(objects, entry, target := folder / uuid.uuid4().hex):
            yield name
        target.unlink(missing_ok=True)


def restore(
    objects: ObjectStore,
    backup: Backup,
    store: Path,
    *,
    replace: bool = False,
    prepare: Callable[[Path], object] = lambda folder: None,
) -> int:
    """Make `store` that of `backup`, and return the number of fetched bytes.

    Files that the store has with the same hash are not fetched, and files that are none of Kohaku's stay. All is prepared in
    a folder beside it and takes its place at the end, so the store is the old or the new one, also after a kill:
    `put_back` puts the old one back. `prepare` is called with this folder before.

    Raises:
        StoreError: The store is not empty and `replace` is not set, a run writes to it, a server or an assistant has it
            open, or the backup is damaged.
    """
    put_back(store)
    old_files = [path for path in store.rglob("*") if path.is_file() and not path.name.endswith(".lock")]
    if old_files and not replace:
        msg = f"the store {str(store)!r} is not empty; give --replace to replace it, or choose another with --set store=FOLDER"
        raise StoreError(msg)
    target = new_place(store)
    try:
        with store_lock(store), sole_use(store):
            fetched = sum(_restored(objects, name, entry, store, target) for name, entry in backup.files.items())
            prepare(target)
            _swap(target, store)
            remove_remains(store)
    finally:
        shutil.rmtree(target, ignore_errors=True)
    return fetched


def _restored(objects: ObjectStore, name: str, entry: BackedUpFile, store: Path, target: Path) -> int:
    path, own = target / name, store / name
    path.parent.mkdir(parents=True, exist_ok=True)
    is_here = own.is_file() and own.stat().st_size == entry.bytes and file_sha256(own) == entry.sha256
    if is_here:
        shutil.copy2(own, path)
    elif not _fetched(objects, entry, path):
        msg = f"{name} of the backup is missing or damaged in {shown_url(objects.url)!r}; restore another with --backup"
        raise StoreError(msg)
    os.utime(path, ns=(entry.mtime_ns, entry.mtime_ns))
    return 0 if is_here else entry.bytes


def _fetched(objects: ObjectStore, entry: BackedUpFile, path: Path) -> bool:
    return objects.fetch(entry.object_name, path) and file_sha256(path) == entry.sha256


def _swap(target: Path, store: Path) -> None:
    """Put the folder `target` in the place of `store`, with what else lies there than files of Kohaku.

    The lock files come along, as this process holds them, and what is known of the bucket, to which the restored state is
    new. They are links, so that whoever opens a lock meanwhile meets the same one.
    """
    for name in OF_THIS_MACHINE:
        (target / name).unlink(missing_ok=True)
        if (store / name).exists():
            _link(store / name, target / name)
    for path in other_files(store):
        _take_along(path, target / path.relative_to(store))
    old = old_place(target)
    store.rename(old)
    try:
        target.rename(store)
    except OSError:
        old.rename(store)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _take_along(path: Path, target: Path) -> None:
    """Give a file a second name; where that cannot be, copy it, so that the first one stays whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        target.hardlink_to(path)
    except OSError:  # a file system without links
        shutil.copy2(path, target, follow_symlinks=False)


def _link(path: Path, target: Path) -> None:
    try:
        target.hardlink_to(path)
    except OSError:  # a file system without links
        path.rename(target)
