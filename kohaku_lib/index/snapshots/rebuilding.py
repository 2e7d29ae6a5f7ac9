"""The copies of a snapshot's vectors that processes map: what is lost or changed is written anew from the database."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import partial
from pathlib import Path

from kohaku_lib.errors import StoreError
from kohaku_lib.index.snapshots.snapshot_checks import cache_damage, sealed_meta, snapshot_damage
from kohaku_lib.index.snapshots.snapshot_files import DATABASE, SPACES, matrix_path
from kohaku_lib.index.vectors.vector_table import rebuild_matrix
from kohaku_lib.storage.atomic import write_atomically
from kohaku_lib.storage.file_checks import FileChecks
from kohaku_lib.storage.lock import awaited_lock

LOCK = "vectors.lock"  # in the folder of the snapshot


def rebuild_caches(folder: Path, checks: FileChecks | None = None) -> dict[str, str]:
    """Rebuild the damaged copies of vectors in the snapshot `folder`; return the damage of those that cannot be.

    That is so where the database is damaged, the disk full, or the folder read-only. Each is replaced at once, and
    several processes wait for one. Where all are intact nothing is opened.

    Raises:
        StoreError: The description of the snapshot is missing or altered.
    """
    checks = checks or FileChecks(folder.parent)
    damage = cache_damage(folder, checks)
    if not damage or DATABASE in snapshot_damage(folder, checks):
        return damage
    import duckdb

    with suppress(OSError, StoreError, duckdb.Error), awaited_lock(folder / LOCK, "rebuilding the vectors of an index"):
        _rebuild(folder, cache_damage(folder, checks))
    return cache_damage(folder, checks)


def _rebuild(folder: Path, damage: Collection[str]) -> None:
    import duckdb

    dim = sealed_meta(folder)["dim"]
    with duckdb.connect(folder / DATABASE, read_only=True) as connection:
        for space in SPACES:
            path = matrix_path(folder, space)
            if path.name in damage:
                write_atomically(path, partial(rebuild_matrix, connection, space=space, dim=dim))
