"""The list of the files of one backup, and the list of backups, as sealed objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from kohaku_lib.errors import StoreError
from kohaku_lib.masking import shown_url
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.sealed_json import sealed_bytes, unsealed

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


@dataclass(frozen=True, slots=True)
class Pointer:
    """The ids of all backups, newest first, and the tag of this list; None if there is no list yet."""

    ids: tuple[str, ...]
    tag: str | None


def read_pointer(objects: ObjectStore) -> Pointer:
    """Return the list of all backups; raises StoreError if it is damaged."""
    found = objects.get_tagged(POINTER)
    if found is None:
        return Pointer((), None)
    return Pointer(tuple(_unsealed(objects, POINTER, found.content)["backups"]), found.tag)


def backup_ids(objects: ObjectStore) -> list[str]:
    """Return the ids of all backups, newest first; [] if there are none.

    Raises:
        StoreError: The list is damaged.
    """
    return list(read_pointer(objects).ids)


def move_pointer(objects: ObjectStore, before: Pointer, ids: Sequence[str]) -> Pointer:
    """Replace the list of all backups and return it; raises ChangedMeanwhileError unless it is still `before`."""
    return Pointer(tuple(ids), objects.swap(POINTER, sealed_bytes({"backups": list(ids)}), before.tag))


def read_backup(objects: ObjectStore, backup_id: str) -> Backup:
    """Return the backup `backup_id`.

    Raises:
        StoreError: There is none, or it is damaged.
    """
    found = objects.get(_name(backup_id))
    if found is None:
        msg = f"there is no backup {backup_id!r} in {shown_url(objects.url)!r}; there are {backup_ids(objects)}"
        raise StoreError(msg)
    content = _unsealed(objects, _name(backup_id), found)
    for path in content["files"]:
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            msg = f"the backup {backup_id!r} names a file outside of a store, {path!r}, and is not used"
            raise StoreError(msg)
    return Backup(backup_id, {path: BackedUpFile(*entry) for path, entry in content["files"].items()})


def write_backup(objects: ObjectStore, backup: Backup) -> None:
    """Write the manifest of `backup`; `move_pointer` makes it visible."""
    files = {path: [one.bytes, one.sha256, one.mtime_ns] for path, one in backup.files.items()}
    objects.put(_name(backup.id), sealed_bytes({"files": files}))


def remove_backup(objects: ObjectStore, backup_id: str) -> None:
    """Delete the manifest of a backup."""
    objects.remove(_name(backup_id))


def _name(backup_id: str) -> str:
    return f"backups/{backup_id}.json"


def _unsealed(objects: ObjectStore, name: str, found: bytes) -> dict[str, Any]:
    content = unsealed(found)
    if content is None:
        msg = f"{name} in {shown_url(objects.url)!r} is damaged; make a new backup elsewhere"
        raise StoreError(msg)
    return content
