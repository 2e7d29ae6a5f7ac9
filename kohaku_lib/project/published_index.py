"""The index that is published in a store."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.errors import StoreError
from kohaku_lib.index import Snapshot, current_version, list_snapshots, open_snapshot, pointer_damage
from kohaku_lib.settings import Settings
from kohaku_lib.storage import StageFiles, StorePaths
from kohaku_lib.storage.interrupted_restore import put_back
from kohaku_lib.storage.use import hold_use


def fetch_published_index(settings: Settings) -> bool:
    """Fetch the index that is published in bucket.url, and return whether it is new here; without a bucket do nothing.

    Raises:
        StoreError: There is no index here, and the bucket cannot be read.

    """
    if settings.bucket.url is None:
        return False
    from kohaku_lib.storage.backups.object_store import ObjectStore
    from kohaku_lib.storage.sharing.fetching import fetch_index

    return fetch_index(ObjectStore(settings.bucket.url), settings.store)


def open_published_index(store: Path) -> Snapshot:
    """Open the published snapshot of a store, else the newest; while it is open, no backup is restored into the store.

    Raises:
        StoreError: There is no index yet, or its nodes or the pointer to it are damaged.

    """
    while True:
        version = published_version(store)
        try:
            snapshot = open_snapshot(StorePaths(store).snapshots, version)
        except StoreError:
            if published_version(store) == version:  # else another took its place, and it may be gone
                raise
        else:
            hold_use(snapshot, store)
            return snapshot


def published_version(store: Path) -> str:
    """Return the published index version of a store, else the newest; raises StoreError as `open_published_index`."""
    put_back(store)
    paths = StorePaths(store)
    folder = paths.snapshots
    version, damage = current_version(folder), pointer_damage(folder)
    if version is not None:
        return version
    if damage is None and StageFiles(paths.stages).latest("published_index") is not None:
        damage = f"{folder.name}/current is missing"
    if damage is not None and current_version(folder) is None:  # nobody has published meanwhile
        msg = f"which index is published is not known: {damage}; run 'kohaku doctor'"
        raise StoreError(msg)
    newest = list_snapshots(folder)
    if not newest:
        msg = f"there is no index in {str(store)!r} yet; run 'kohaku refresh' first (in a project; 'kohaku init' makes one)"
        raise StoreError(msg)
    return newest[0].version
