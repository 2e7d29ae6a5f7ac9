"""Integrity of a snapshot: its description lists all its files with sizes and hashes, and apart those that are caches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kohaku_lib.errors import StoreError
from kohaku_lib.index.snapshots.snapshot_files import META, SPACES, matrix_path
from kohaku_lib.storage.file_checks import FileChecks, FileSeal, seal_of
from kohaku_lib.storage.sealed_json import read_sealed, write_sealed

FILES, CACHES = "files", "caches"  # an index from before the database held its vectors has none


def seal_snapshot(folder: Path, meta: dict[str, Any]) -> None:
    """Write the description of the snapshot in `folder`, whose other files must be complete."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / META)
    seals = {path.relative_to(folder).as_posix(): seal_of(path) for path in files}
    caches = {matrix_path(folder, space).name for space in SPACES}
    named = {
        part: {name: [seal.bytes, seal.sha256] for name, seal in seals.items() if (name in caches) == (part == CACHES)}
        for part in (FILES, CACHES)
    }
    write_sealed(folder / META, {**meta, **named})


def sealed_meta(folder: Path) -> dict[str, Any]:
    """Return the description of the snapshot in `folder`; raises StoreError if it is missing or altered."""
    meta = read_sealed(folder / META)
    if meta is None or not isinstance(meta.get(FILES), dict):
        msg = f"the description of the index {folder.name!r} is missing, damaged or of another version of kohaku"
        raise StoreError(msg)
    return meta


def snapshot_damage(folder: Path, checks: FileChecks | None = None) -> dict[str, str]:
    """Return the damage of the files of the snapshot in `folder` by file name; {} if it is intact, whatever its caches are.

    A file is only hashed if its size or times are new, or if `checks` requires it.
    """
    try:
        meta = sealed_meta(folder)
    except StoreError:
        return {META: "is missing, damaged or of another version of kohaku"}
    return _damage_of(folder, meta[FILES], checks or FileChecks(folder.parent))


def cache_damage(folder: Path, checks: FileChecks | None = None) -> dict[str, str]:
    """Return the damage of the copies of vectors that the database can rebuild, by file name.

    Raises:
        StoreError: The description of the snapshot is missing or altered.
    """
    return _damage_of(folder, sealed_meta(folder).get(CACHES, {}), checks or FileChecks(folder.parent))


def raise_damage(folder: Path, damage: Mapping[str, str], begins: tuple[str, ...]) -> None:
    """Raise StoreError if the name of a damaged file of a snapshot starts with one of `begins`."""
    for name, wrong in damage.items():
        if name.startswith(begins):
            msg = f"the index {folder.name!r} is damaged: {str(folder / name)!r} {wrong}; run 'kohaku doctor'"
            raise StoreError(msg)


def _damage_of(folder: Path, seals: Mapping[str, list[Any]], checks: FileChecks) -> dict[str, str]:
    return checks.damage_by_name(folder, {name: FileSeal(*seal) for name, seal in seals.items()})
