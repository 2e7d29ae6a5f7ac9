"""Integrity of a snapshot: its description lists all its files with sizes and hashes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kohaku_lib.errors import StoreError
from kohaku_lib.index.snapshots.snapshot_files import META
from kohaku_lib.storage.file_checks import FileChecks, FileSeal, seal_of
from kohaku_lib.storage.sealed_json import read_sealed, write_sealed

FILES = "files"


def seal_snapshot(folder: Path, meta: dict[str, Any]) -> None:
    """Write the description of the snapshot in `folder`, whose other files must be complete."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / META)
    seals = {path.relative_to(folder).as_posix(): seal_of(path) for path in files}
    named = {name: [seal.bytes, seal.sha256] for name, seal in seals.items()}
    write_sealed(folder / META, {**meta, FILES: named})


def sealed_meta(folder: Path) -> dict[str, Any]:
    """Return the description of the snapshot in `folder`; raises StoreError if it is missing or altered."""
    meta = read_sealed(folder / META)
    if meta is None or not isinstance(meta.get(FILES), dict):
        msg = f"the description of the index {folder.name!r} is missing, damaged or of another version of kohaku"
        raise StoreError(msg)
    return meta


def snapshot_damage(folder: Path, checks: FileChecks | None = None) -> dict[str, str]:
    """Return the damage of the files of the snapshot in `folder` by file name; {} if it is intact.

    A file is only hashed if its size or times are new, or if `checks` requires it.
    """
    try:
        files = sealed_meta(folder)[FILES]
    except StoreError:
        return {META: "is missing, damaged or of another version of kohaku"}
    checks = checks or FileChecks(folder.parent)
    found = {name: checks.damage(folder / name, FileSeal(*seal)) for name, seal in files.items()}
    return {name: wrong for name, wrong in found.items() if wrong}


def raise_damage(folder: Path, damage: Mapping[str, str], begins: tuple[str, ...]) -> None:
    """Raise StoreError if the name of a damaged file of a snapshot starts with one of `begins`."""
    for name, wrong in damage.items():
        if name.startswith(begins):
            msg = f"the index {folder.name!r} is damaged: {str(folder / name)!r} {wrong}; run 'kohaku doctor'"
            raise StoreError(msg)
