"""What a store had in common with its bucket when they were last equal: the state and its files."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path

from kohaku_lib.storage.backups.backup_manifest import BackedUpFile, Backup
from kohaku_lib.storage.sealed_json import read_sealed, write_sealed
from kohaku_lib.storage.store_paths import StorePaths


@dataclass(frozen=True, slots=True)
class SyncedState:
    """The name of a store among those of a bucket, the state that it had last, and that of its index if it is newer."""

    holder: str
    backup: Backup | None = None
    index: str | None = None  # the state whose published index was fetched without the rest
    url: str | None = None


def read_synced(store: Path, url: str) -> SyncedState:
    """Return the last common state of `store` and the bucket at `url`; without one, a new name."""
    content = read_sealed(StorePaths(store).bucket) or {}
    holder = content.get("holder") or uuid.uuid4().hex
    if content.get("url") != url:
        return SyncedState(holder, url=url)
    files = {path: BackedUpFile(*entry) for path, entry in content["files"].items()}
    backup = Backup(content["state"], files) if content["state"] else None
    return SyncedState(holder, backup, content["index"], url)


def write_synced(store: Path, synced: SyncedState) -> None:
    """Remember the last common state of `store` and its bucket."""
    backup = synced.backup or Backup("", {})
    files = {path: [one.bytes, one.sha256, one.mtime_ns] for path, one in backup.files.items()}
    content = {"holder": synced.holder, "url": synced.url, "index": synced.index}
    write_sealed(StorePaths(store).bucket, {**content, "state": backup.id or None, "files": files})
