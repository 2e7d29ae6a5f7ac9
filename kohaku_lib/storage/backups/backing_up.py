"""Makes a backup of a store: what is new since the last one, while a run may be writing."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kohaku_lib.errors import StoreError
from kohaku_lib.masking import shown_url
from kohaku_lib.storage.backups.backup_manifest import (
    BackedUpFile,
    Backup,
    Pointer,
    move_pointer,
    read_backup,
    read_pointer,
    remove_backup,
    write_backup,
)
from kohaku_lib.storage.backups.copying import Copying
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.lock import awaited_lock
from kohaku_lib.storage.store_paths import StorePaths

ROUNDS = 60

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A finished backup; `new_files` and `new_bytes` count what was not there yet, `pointer` names it as the newest."""

    backup: Backup
    new_files: int
    new_bytes: int
    pointer: Pointer

    @property
    def text(self) -> str:
        """The report in one line."""
        new = f"{self.new_files} ({self.new_bytes:,} bytes) are new"
        return f"backup {self.backup.id}: {len(self.backup.files)} files, of which {new}"


def back_up(
    store: Path,
    objects: ObjectStore,
    keep: int | None = None,
    *,
    since: Pointer | None = None,
    databases: bool = True,
    rounds: int = ROUNDS,
) -> BackupReport:
    """Copy the files of `store` that `objects` lacks, and publish the list of all as the newest backup.

    Waits for moments at which the current outputs and their files agree; a run may go on meanwhile. The list is written
    last, so that a backup is whole or absent. With `keep`, older backups and what only they need are deleted. Backups of
    a store wait for each other. With `since`, the newest backup must still be that of this pointer, and is returned if
    nothing has changed.

    Raises:
        StoreError: The store has no outputs or is damaged, or `objects` cannot be written.
        ChangedMeanwhileError: Somebody else has made a backup there meanwhile.
    """
    if not store.is_dir():
        msg = f"there is no store {str(store)!r} to back up; run 'kohaku refresh' first"
        raise StoreError(msg)
    with awaited_lock(StorePaths(store).backup_lock, "making a backup"):
        before = since or read_pointer(objects)
        last = read_backup(objects, before.ids[0]) if before.ids else None
        copying = Copying(store, objects, last.files if last else {}, databases=databases)
        files = copying.consistent_files(rounds)
        if since is not None and last is not None and _contents(files) == _contents(last.files):
            return BackupReport(last, 0, 0, before)
        backup = Backup(datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ"), files)
        write_backup(objects, backup)
        ids = [backup.id, *before.ids]
        pointer = move_pointer(objects, before, ids[:keep])
        try:
            _remove_old(objects, ids, len(ids) if keep is None else keep)
        except StoreError as error:  # the backup is made
            _LOGGER.warning("older backups could not be deleted from %r: %s", shown_url(objects.url), error)
    return BackupReport(backup, copying.new_files, copying.new_bytes, pointer)


def _contents(files: Mapping[str, BackedUpFile]) -> dict[str, str]:
    return {path: one.sha256 for path, one in files.items()}


def _remove_old(objects: ObjectStore, ids: list[str], keep: int) -> None:
    """Delete the backups beyond the `keep` newest, and the objects that only they need."""
    needed = {one.object_name for name in ids[:keep] for one in read_backup(objects, name).files.values()}
    for name in ids[keep:]:
        for object_name in {one.object_name for one in read_backup(objects, name).files.values()} - needed:
            objects.remove(object_name)
        remove_backup(objects, name)
