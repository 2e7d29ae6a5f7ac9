"""The index versions of a store: which there are, which is current, publishing, rolling back, tidying."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from kohaku_lib.errors import StoreError
from kohaku_lib.index.snapshot_files import CURRENT, META, PARTIAL_PREFIX, sync
from kohaku_lib.storage import write_atomically

HISTORY = 20


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """One index version of a store."""

    version: str
    built_at: str  # ISO 8601, UTC
    rows: int  # over all its tables and vector spaces
    bytes: int
    is_current: bool


def current_version(folder: Path) -> str | None:
    """Return the published index version, or None where nothing is published."""
    history = _history(folder)
    return history[0] if history else None


def publish(folder: Path, index_version: str) -> str | None:
    """Make `index_version` the current one and return the one before it (None where there was none).

    The pointer is a small file swapped atomically, so that a reader sees the old version or the new one. Publishing
    the current version again changes nothing. Raises StoreError where the version does not exist.
    """
    if not (folder / index_version / META).is_file():
        names = [info.version for info in list_snapshots(folder)]
        msg = f"there is no index {index_version!r} to publish in {str(folder)!r}; there are {names}"
        raise StoreError(msg)
    history = _history(folder)
    earlier = [version for version in history if version != index_version]
    _write_history(folder, [index_version, *earlier][:HISTORY])
    return earlier[0] if earlier else None


def roll_back(folder: Path) -> str:
    """Make the version published before the current one current again and return it.

    Versions deleted since are skipped; rolling back twice goes two versions back. Raises StoreError where there is
    no earlier one.
    """
    for position, version in enumerate(_history(folder)):
        if position > 0 and (folder / version / META).is_file():
            _write_history(folder, _history(folder)[position:])
            return version
    msg = f"no index was published before {current_version(folder)!r} in {str(folder)!r}; publish one by its name"
    raise StoreError(msg)


def list_snapshots(folder: Path) -> list[SnapshotInfo]:
    """Return the complete index versions of a store, the newest first; [] where the folder does not exist.

    A version whose description cannot be read counts as none.
    """
    current = current_version(folder)
    infos = [info for path in folder.glob(f"[!.]*/{META}") if (info := _info(path.parent, current))]
    return sorted(infos, key=lambda info: (info.built_at, info.version), reverse=True)


def prune(folder: Path, keep: int, protected: Collection[str] = ()) -> list[str]:
    """Delete all but the newest `keep` versions and return what was deleted.

    Never the current one, the newest one or one of the `protected`, although they may be more than `keep`.
    Leftovers of interrupted writers go as well, so the caller must hold the store's lock.
    """
    infos = list_snapshots(folder)
    deleted = [info.version for info in infos[max(keep, 1) :] if not info.is_current and info.version not in protected]
    for version in deleted:
        # Renamed first: a deletion that is cut short must not leave half a version to be opened.
        (folder / version).replace(folder / f"{PARTIAL_PREFIX}{version}")
    for leftover in folder.glob(f"{PARTIAL_PREFIX}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    return deleted


def _info(path: Path, current: str | None) -> SnapshotInfo | None:
    size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    try:
        meta = json.loads((path / META).read_text(encoding="utf-8"))
        return SnapshotInfo(path.name, meta["built_at"], sum(meta["counts"].values()), size, path.name == current)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _history(folder: Path) -> list[str]:
    """Return the published versions, the current one first."""
    path = folder / CURRENT
    return path.read_text(encoding="utf-8", errors="replace").split() if path.is_file() else []


def _write_history(folder: Path, versions: list[str]) -> None:
    text = "".join(f"{version}\n" for version in versions)
    write_atomically(folder / CURRENT, lambda temporary: temporary.write_text(text, encoding="utf-8"))
    sync(folder)
