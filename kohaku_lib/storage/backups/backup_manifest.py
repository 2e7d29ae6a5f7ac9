"""The list of the files of one backup, and the list of backups, as sealed objects."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from kohaku_lib.errors import StoreError
from kohaku_lib.masking import shown_url
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.sealed_json import read_sealed, write_sealed

POINTER = "backups.json"


@dataclass(frozen=True, slots=True)
class BackedUpFile:
    """A file of a backup: size, SHA-256 and time of modification."""

    bytes: int
    sha256: str
    mtime_ns: int

    @property
    def object_name(self) -> str:
        """The name of the object with its content."""
        return f"objects/{self.sha256[:2]}/{self.sha256}"


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup: the files of a store by relative path."""

    id: str  # time, so that ids sort by age
    files: Mapping[str, BackedUpFile]

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return sum(one.bytes for one in self.files.values())


def backup_ids(objects: ObjectStore) -> list[str]:
    """Return the ids of all backups, newest first; [] if there are none.

    Raises:
        StoreError: The list is damaged.
    """
    content = _read(objects, POINTER)
    return [] if content is None else list(content["backups"])


def write_backup_ids(objects: ObjectStore, ids: list[str]) -> None:
    """Write the list of all backups, newest first."""
    _write(objects, POINTER, {"backups": ids})


def read_backup(objects: ObjectStore, backup_id: str) -> Backup:
    """Return the backup `backup_id`.

    Raises:
        StoreError: There is none, or it is damaged.
    """
    content = _read(objects, _name(backup_id))
    if content is None:
        msg = f"there is no backup {backup_id!r} in {shown_url(objects.url)!r}; there are {backup_ids(objects)}"
        raise StoreError(msg)
    for path in content["files"]:
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            msg = f"the backup {backup_id!r} names a file outside of a store, {path!r}, and is not used"
            raise StoreError(msg)
    return Backup(backup_id, {path: BackedUpFile(*entry) for path, entry in content["files"].items()})


def write_backup(objects: ObjectStore, backup: Backup) -> None:
    """Write the manifest of `backup`; `write_backup_ids` makes it visible."""
    files = {path: [one.bytes, one.sha256, one.mtime_ns] for path, one in backup.files.items()}
    _write(objects, _name(backup.id), {"files": files})


def remove_backup(objects: ObjectStore, backup_id: str) -> None:
    """Delete the manifest of a backup."""
    objects.remove(_name(backup_id))


def _name(backup_id: str) -> str:
    return f"backups/{backup_id}.json"


def _read(objects: ObjectStore, name: str) -> dict[str, Any] | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "object")
        if not objects.fetch(name, path):
            return None
        content = read_sealed(path)
    if content is None:
        msg = f"{name} in {shown_url(objects.url)!r} is damaged; make a new backup elsewhere"
        raise StoreError(msg)
    return content


def _write(objects: ObjectStore, name: str, content: Mapping[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "object")
        write_sealed(path, content)
        objects.put(name, path)
