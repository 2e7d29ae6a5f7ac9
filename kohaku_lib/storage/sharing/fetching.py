"""Fetches a state of a bucket, or only its published index, into a store: what differs, and what names it last."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from kohaku_lib.digests import file_sha256
from kohaku_lib.errors import StoreError
from kohaku_lib.masking import shown_url
from kohaku_lib.parallel import map_items
from kohaku_lib.storage.atomic import write_atomically
from kohaku_lib.storage.backups.backup_manifest import BackedUpFile, Backup, Pointer, read_backup, read_pointer
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.lock import store_lock
from kohaku_lib.storage.sharing.synced_state import SyncedState, read_synced, write_synced

CONNECTIONS = 8
CURRENT, PINNED = "snapshots/current", "snapshots/pinned"
_NAMING = ("/meta.json", "/latest.json", PINNED, CURRENT)  # in this order after all other files
_LOGGER = logging.getLogger(__name__)


def fetch_state(objects: ObjectStore, pointer: Pointer, store: Path) -> SyncedState:
    """Make the files of `store` those of the newest state, and return it; outputs that only `store` has are kept.

    Nothing is fetched if the newest state is the one that the store had last and still has, so that what it computed since
    then stays.
    The caller holds the lock of the store and the lease of the bucket.

    Raises:
        StoreError: The bucket cannot be read, or an object is missing or damaged.
    """
    synced = read_synced(store, objects.url)
    if not pointer.ids or (synced.backup and synced.backup.id == pointer.ids[0] and _has_outputs(store, synced.backup)):
        return synced
    backup = read_backup(objects, pointer.ids[0])
    _fetch(objects, backup.files, store)
    for path in set(synced.backup.files if synced.backup else ()) - set(backup.files):
        if not path.endswith(".jsonl"):
            (store / path).unlink(missing_ok=True)
    if PINNED not in backup.files:
        (store / PINNED).unlink(missing_ok=True)
    synced = SyncedState(synced.holder, backup, backup.id, objects.url)
    write_synced(store, synced)
    return synced


def _has_outputs(store: Path, backup: Backup) -> bool:
    """Return whether `store` has the outputs and ledgers of a state, or newer ones; somebody may have emptied it."""
    return all((store / path).exists() for path in backup.files if path.endswith(("/latest.json", ".jsonl")))


def fetch_index(objects: ObjectStore, store: Path) -> bool:
    """Fetch the published index of the newest state, and return whether `store` lacked it.

    While another process writes to `store`, nothing is fetched. Without a connection the index that is there is used.

    Raises:
        StoreError: There is no index in `store`, and the bucket cannot be read.
    """
    try:
        with store_lock(store):
            return _fetch_newest_index(objects, store)
    except StoreError as error:
        if not (store / CURRENT).exists():
            raise
        _LOGGER.warning("questions are answered from the index that is here: %s", error)
        return False


def _fetch_newest_index(objects: ObjectStore, store: Path) -> bool:
    pointer, synced = read_pointer(objects), read_synced(store, objects.url)
    known = (synced.index, synced.backup.id if synced.backup else None)
    if not pointer.ids or pointer.ids[0] in known:
        return False
    try:
        files = read_backup(objects, pointer.ids[0]).files
        _fetch(objects, dict(_index_files(objects, files)), store)
    except StoreError:
        if read_pointer(objects) == pointer:
            raise
        return _fetch_newest_index(objects, store)  # a newer state took its place meanwhile
    if PINNED not in files:
        (store / PINNED).unlink(missing_ok=True)
    write_synced(store, replace(synced, index=pointer.ids[0]))
    return True


def _index_files(objects: ObjectStore, files: Mapping[str, BackedUpFile]) -> Iterator[tuple[str, BackedUpFile]]:
    published = (objects.get(files[CURRENT].object_name) or b"").decode().split() if CURRENT in files else []
    folder = f"snapshots/{published[0]}/" if published else None
    for path, entry in files.items():
        if path in (CURRENT, PINNED) or (folder and path.startswith(folder)):
            yield path, entry


def _fetch(objects: ObjectStore, files: Mapping[str, BackedUpFile], store: Path) -> None:
    def fetch(path: str) -> None:
        if not _is_here(store / path, files[path]):
            _fetch_file(objects, files[path], store / path)

    for _, paths in groupby(sorted(files, key=_order), key=_order):
        for _ in map_items(fetch, list(paths), CONNECTIONS):
            pass


def _order(path: str) -> int:
    return next((number for number, end in enumerate(_NAMING, 1) if path.endswith(end)), 0)


def _is_here(path: Path, entry: BackedUpFile) -> bool:
    if not path.is_file():
        return False
    stat = path.stat()
    if path.suffix == ".jsonl":  # each process writes its own, and only at the end
        return stat.st_size >= entry.bytes
    if stat.st_size != entry.bytes:
        return False
    return stat.st_mtime_ns == entry.mtime_ns or file_sha256(path) == entry.sha256


def _fetch_file(objects: ObjectStore, entry: BackedUpFile, path: Path) -> None:
    def write(temporary: Path) -> None:
        if not objects.fetch(entry.object_name, temporary) or file_sha256(temporary) != entry.sha256:
            msg = f"{path.name} is missing or damaged in {shown_url(objects.url)!r}; run 'kohaku doctor'"
            raise StoreError(msg)
        os.utime(temporary, ns=(entry.mtime_ns, entry.mtime_ns))

    write_atomically(path, write, durable=_order(path.as_posix()) > 0)
