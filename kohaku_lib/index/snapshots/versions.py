"""The index versions of a store: listing, publication, rollback, pruning."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from kohaku_lib.errors import StoreError
from kohaku_lib.index.snapshots.pin import pin
from kohaku_lib.index.snapshots.snapshot_files import CURRENT, META, PARTIAL_PREFIX, is_version, sync
from kohaku_lib.index.snapshots.snapshot_use import set_aside
from kohaku_lib.storage import write_atomically

HISTORY = 20


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """One index version of a store."""

    version: str
    sequence: int  # build number within the store, independent of the clock
    built_at: str  # ISO 8601, UTC
    rows: int  # over all tables and vector spaces
    bytes: int
    is_current: bool


def current_version(folder: Path) -> str | None:
    """Return the published index version; None if there is none or the pointer is damaged."""
    history = _history(folder)
    return history[0] if history else None


def pointer_damage(folder: Path) -> str | None:
    """Describe the damage of the pointer to the published version as a clause; None if it is intact or absent."""
    path = folder / CURRENT
    try:
        named = path.read_bytes().decode("utf-8", "replace").split()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{folder.name}/{CURRENT} cannot be read ({error.strerror})"
    if named and _is_there(folder, named[0]):
        return None
    return f"{folder.name}/{CURRENT} does not name an existing index"


def publish(folder: Path, index_version: str) -> str | None:
    """Make `index_version` the current one and return the previous one (None if there was none).

    The pointer is a small file that is replaced atomically, so readers see either version. Publishing the current version
    again has no effect. Raises StoreError if the version does not exist.
    """
    names = [info.version for info in list_snapshots(folder)]
    if index_version not in names:
        msg = f"there is no index {index_version!r} to publish in {str(folder)!r}; there are {names}"
        raise StoreError(msg)
    history = _history(folder)
    earlier = [version for version in history if version != index_version]
    _write_history(folder, [index_version, *earlier][:HISTORY])
    return earlier[0] if earlier else None


def roll_back(folder: Path) -> str:
    """Make the previously published version current again, pin it, and return it.

    Deleted versions are skipped; rolling back twice goes two versions back. Raises StoreError if there is no earlier one.
    """
    history = _history(folder)
    for position, version in enumerate(history):
        if position > 0 and (folder / version / META).is_file():
            pin(folder)
            _write_history(folder, history[position:])
            return version
    msg = f"no index was published before {current_version(folder)!r} in {str(folder)!r}; publish one by its name"
    raise StoreError(msg)


def next_sequence(folder: Path) -> int:
    """Return the build number of the next version in `folder`."""
    return 1 + max((info.sequence for info in list_snapshots(folder)), default=0)


def list_snapshots(folder: Path) -> list[SnapshotInfo]:
    """Return the complete index versions of a store, newest first; [] if the folder does not exist.

    Versions with an unreadable description are omitted.
    """
    current = current_version(folder)
    infos = [info for path in folder.glob(f"[!.]*/{META}") if (info := _info(path.parent, current))]
    return sorted(infos, key=lambda info: (info.sequence, info.built_at, info.version), reverse=True)


def prune(folder: Path, keep: int, protected: Collection[str] = ()) -> list[str]:
    """Delete all but the newest `keep` versions and return the deleted ones.

    In addition to these, the current version, the target of a rollback (if `keep` is 2 or more), the newest, the `protected`
    ones and those open in any process are retained. Leftovers of interrupted writers are deleted as well, so the caller must
    hold the store's lock.
    """
    infos = list_snapshots(folder)
    there = [version for version in _history(folder) if (folder / version / META).is_file()]
    retained = {*(info.version for info in infos[: max(keep, 1)]), *there[: min(max(keep, 1), 2)], *protected}
    # Renamed first, so that an interrupted deletion leaves no partial version to open.
    deleted = [
        info.version
        for info in infos
        if info.version not in retained and set_aside(folder / info.version, folder / f"{PARTIAL_PREFIX}{info.version}")
    ]
    for leftover in folder.glob(f"{PARTIAL_PREFIX}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    return deleted


def _info(path: Path, current: str | None) -> SnapshotInfo | None:
    size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    try:
        meta = json.loads((path / META).read_text(encoding="utf-8"))
        rows = sum(meta["counts"].values())
        return SnapshotInfo(path.name, meta.get("sequence", 0), meta["built_at"], rows, size, path.name == current)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _history(folder: Path) -> list[str]:
    """Return the published versions, the current one first."""
    path = folder / CURRENT
    if pointer_damage(folder) is not None or not path.is_file():
        return []
    return [name for name in path.read_text(encoding="utf-8", errors="replace").split() if is_version(name)]


def _is_there(folder: Path, version: str) -> bool:
    return is_version(version) and (folder / version).is_dir()


def _write_history(folder: Path, versions: list[str]) -> None:
    text = "".join(f"{version}\n" for version in versions)
    write_atomically(folder / CURRENT, lambda temporary: temporary.write_text(text, encoding="utf-8"))
    sync(folder)
