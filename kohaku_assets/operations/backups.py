"""Backups of a project's store: listed, checked and restored."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.backups import open_backups
from kohaku_assets.records.project_lock import project_lock
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_assets.records.store_format import is_new
from kohaku_lib.conversation.memory.restored_keys import settle_restored_keys
from kohaku_lib.storage.backups.backup_manifest import Backup, backup_ids, read_backup
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.backups.restoring import damaged_objects, find_backup, restore


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored: the backup, the bytes fetched, and the keys (name and id) that are off until they are confirmed."""

    backup: Backup
    fetched_bytes: int
    unconfirmed: tuple[str, ...]


def list_backups(objects: ObjectStore) -> list[Backup]:
    """Return all backups, newest first."""
    return [read_backup(objects, name) for name in backup_ids(objects)]


def check_backup(objects: ObjectStore, backup_id: str | None) -> list[str]:
    """Read a backup as a whole, the newest by default, and return its files that are missing or altered."""
    with tempfile.TemporaryDirectory() as folder:
        return list(damaged_objects(objects, find_backup(objects, backup_id), Path(folder)))


def restore_project(project: Project, url: str | None, backup_id: str | None, *, replace: bool) -> Restored:
    """Restore a backup, the newest by default, as the store of `project`.

    Raises:
        KohakuError: There is no backup, it is damaged, a server has the store open, or the store is not empty and `replace`
            is not set.
    """
    objects = open_backups(project, url)
    backup = find_backup(objects, backup_id)
    unconfirmed: list[str] = []
    with project_lock(project):
        fetched = restore(
            objects,
            backup,
            project.store,
            replace=replace or is_new(project.store),
            prepare=lambda folder: unconfirmed.extend(settle_restored_keys(project.store, folder)),
        )
        write_sql_views(project)
    return Restored(backup, fetched, tuple(unconfirmed))
