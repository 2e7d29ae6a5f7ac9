"""The faults of a store's files, found by reading them, each with its repair."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from kohaku_assets.components.dagster_home import dagster_home
from kohaku_assets.operations.doctor.outside_faults import bucket_faults, database_faults, documents_faults
from kohaku_assets.operations.doctor.quarantine import Fault, Quarantine
from kohaku_assets.pipeline.companion_files import damaged_files
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stages import STAGES
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_assets.records.store_format import update_store_format
from kohaku_lib.index import pin, pinned, pointer_damage, snapshot_damage
from kohaku_lib.index.snapshots.pin import Pin
from kohaku_lib.index.snapshots.rebuilding import rebuild_caches
from kohaku_lib.index.snapshots.snapshot_checks import cache_damage
from kohaku_lib.index.snapshots.snapshot_files import CURRENT, PARTIAL_PREFIX, PIN
from kohaku_lib.llm.ledger.calls import parse_call
from kohaku_lib.llm.ledger.lines import damaged_lines, keep_sound_lines
from kohaku_lib.storage import FileChecks, HashMemo, leftovers, read_sealed, views_damage
from kohaku_lib.storage.caches.cache_parts import part_damage
from kohaku_lib.storage.file_checks import CHECKED
from kohaku_lib.storage.stages.stage_files import LATEST

Faults = Iterator[Fault]


def find_faults(project: Project, quarantine: Quarantine, *, afresh: bool) -> list[Fault]:
    """Return all faults of the store, Dagster's history, the bucket, databases; without `afresh`, cached hashes are trusted."""
    searches = (
        _leftover_faults,
        _format_faults,
        _hash_cache_faults,
        _stage_file_faults,
        _record_faults,
        _snapshot_faults,
        _cache_part_faults,
        _ledger_faults,
        _state_faults,
        _companion_file_faults,
        _view_faults,
        _dagster_database_faults,
        documents_faults,
        bucket_faults,
        database_faults,
    )
    return [fault for search in searches for fault in search(project, quarantine, afresh)]


def _leftover_faults(project: Project, _quarantine: Quarantine, _afresh: bool) -> Faults:
    for path in leftovers(project.store):
        if not path.is_relative_to(project.paths.damaged):
            yield Fault(path, "was left unfinished", lambda path=path: _remove_file(path))


def _format_faults(project: Project, _quarantine: Quarantine, _afresh: bool) -> Faults:
    path = project.paths.format
    if path.exists() and read_sealed(path) is None:
        yield Fault(path, "is corrupt", lambda: _rewrite_format(project))


def _hash_cache_faults(project: Project, _quarantine: Quarantine, _afresh: bool) -> Faults:
    """Yield damaged hash caches; without them the files are read again."""
    cache = project.paths.cache
    memos = (cache / f"{name}.json" for name in ("file_hashes", "payload_ids", "attachments"))
    for path in [*sorted(_find_files(project, CHECKED)), *memos]:
        if path.exists() and read_sealed(path) is None:
            yield Fault(path, "is corrupt", lambda path=path: _remove_file(path))


def _stage_file_faults(project: Project, quarantine: Quarantine, afresh: bool) -> Faults:
    files, checks = project.files, FileChecks(project.files.root, afresh=afresh)
    for path in sorted(files.root.glob("*/*.parquet")):
        manifest = files.manifest(path.with_suffix(".json"))
        if manifest is None:
            yield quarantine.fault(path, "has no readable manifest")
        elif wrong := checks.damage(path, manifest.seal):
            yield quarantine.fault(path, wrong)
    for path in sorted(files.root.glob("*/*.json")):
        if path.name == LATEST:
            continue
        if files.manifest(path) is None:
            yield quarantine.fault(path, "is corrupt, or of another version of kohaku")
        elif not path.with_suffix(".parquet").exists():
            yield quarantine.fault(path, "belongs to a stage file that is missing")


def _record_faults(project: Project, quarantine: Quarantine, _afresh: bool) -> Faults:
    for path in sorted(_find_files(project, LATEST)):
        if read_sealed(path) is None:
            yield quarantine.fault(path, "is corrupt, or of another version of kohaku")


def _snapshot_faults(project: Project, quarantine: Quarantine, afresh: bool) -> Faults:
    folder = project.snapshots
    checks = FileChecks(folder, afresh=afresh)
    for path in sorted(path for path in folder.glob("*") if path.is_dir()):
        if path.name.startswith(PARTIAL_PREFIX):
            yield quarantine.fault(path, "was left unfinished")
        elif damage := snapshot_damage(path, checks):
            files = ", ".join(f"{name} {wrong}" for name, wrong in damage.items())
            yield quarantine.fault(path, f"is damaged: {files}")
        else:
            for name, wrong in cache_damage(path, checks).items():
                yield Fault(path / name, wrong, lambda path=path: _rebuild_caches(path, checks))
    if (pinned(folder) or Pin("")).since is None:
        yield Fault(folder / PIN, "is corrupt", lambda: _pin_again(folder))
    if wrong := pointer_damage(folder):
        yield quarantine.fault(folder / CURRENT, f"is damaged: {wrong}")


def _cache_part_faults(project: Project, quarantine: Quarantine, afresh: bool) -> Faults:
    for folder in project.paths.cache_folders():
        hashes = HashMemo(folder / CHECKED, afresh=afresh)
        for path in sorted(folder.glob("part-*.parquet")):
            if wrong := part_damage(path, hashes):
                yield quarantine.fault(path, wrong)
        hashes.save()


def _ledger_faults(project: Project, quarantine: Quarantine, _afresh: bool) -> Faults:
    for path in sorted(project.paths.llm_calls.glob("*.jsonl")):
        damaged, lines = damaged_lines(path, parse_call)
        if damaged:
            wrong = f"{damaged} of {lines} calls cannot be read"
            yield Fault(path, wrong, lambda path=path: _drop_damaged_calls(path, quarantine))


def _state_faults(project: Project, quarantine: Quarantine, _afresh: bool) -> Faults:
    for path in sorted(project.paths.history.glob("*.json")):
        if read_sealed(path) is None:
            yield quarantine.fault(path, "is corrupt, or of another version of kohaku")


def _companion_file_faults(project: Project, quarantine: Quarantine, afresh: bool) -> Faults:
    checks = FileChecks(project.store, afresh=afresh)
    for name in STAGES:
        record = project.files.latest(name)
        damage = damaged_files(project.store, project.files, record, checks) if record else {}
        for path, wrong in ((project.store / own, wrong) for own, wrong in damage.items()):
            yield quarantine.fault(path, wrong)


def _view_faults(project: Project, _quarantine: Quarantine, _afresh: bool) -> Faults:
    path = project.paths.views
    is_due = path.exists() or any(map(project.files.latest, STAGES))
    if wrong := views_damage(path) if is_due else None:
        yield Fault(path, wrong, lambda: _rewrite_views(project))


def _dagster_database_faults(project: Project, quarantine: Quarantine, _afresh: bool) -> Faults:
    """Yield damaged SQLite databases of Dagster; their content mirrors the store."""
    for part in ("history", "schedules", "storage"):
        for path in sorted((dagster_home(project) / part).rglob("*.db")):
            if wrong := _database_damage(path):
                yield Fault(path, wrong, lambda path=path: _quarantine_database(path, quarantine))


def _find_files(project: Project, name: str) -> Iterator[Path]:
    return (path for path in project.store.rglob(name) if not path.is_relative_to(project.paths.damaged))


def _pin_again(folder: Path) -> str:
    pin(folder)
    return "pinned again, as of now"


def _remove_file(path: Path) -> str:
    path.unlink(missing_ok=True)
    return "removed"


def _rebuild_caches(folder: Path, checks: FileChecks) -> str | None:
    return None if rebuild_caches(folder, checks) else "rebuilt from the index's database"


def _drop_damaged_calls(path: Path, quarantine: Quarantine) -> str:
    """Save a copy of the damaged file and keep only the readable calls in its place."""
    quarantine.copy(path)
    calls = keep_sound_lines(path, parse_call)
    return f"{calls} calls remain in use, the damaged file is saved"


def _rewrite_format(project: Project) -> str:
    update_store_format(project.store)
    return "rewritten"


def _rewrite_views(project: Project) -> str:
    write_sql_views(project)
    return "rewritten"


def _database_damage(path: Path) -> str | None:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5)) as connection:
            [check_result] = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        return None if "locked" in str(error) else f"is not a readable database ({error})"
    except sqlite3.DatabaseError as error:
        return f"is not a readable database ({error})"
    return None if check_result == "ok" else f"is damaged ({check_result.splitlines()[-1]})"


def _quarantine_database(path: Path, quarantine: Quarantine) -> str:
    for suffix in ("-wal", "-shm"):
        log = path.with_name(path.name + suffix)
        if log.exists():
            quarantine.move(log)
    return quarantine.move(path)
