"""The companion files that stages write next to their tables: an index snapshot, the submission, reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Any

from kohaku_assets.pipeline.stage_inputs import index_version
from kohaku_lib.storage import FileChecks, FileSeal, LatestRecord, StageFiles, StorePaths, seal_of
from kohaku_lib.storage.store_paths import IN_STORE

SUBMISSION, RELEASE_SCORES = IN_STORE.submission.name, IN_STORE.release_scores.name
REPORTS = ("reports/error_report.html", "reports/error_report.md")
_FILES = {"submission": (SUBMISSION,), "error_report": REPORTS, "published_index": (RELEASE_SCORES,)}


def companion_seals(store: Path, stage: str) -> dict[str, list[Any]]:
    """Return the size and hash of each companion file of `stage`, by name."""
    checks, seal_by_name = FileChecks(store), dict[str, list[Any]]()
    for name in _FILES.get(stage, ()):
        if (store / name).is_file():
            seal = seal_of(store / name)
            checks.note(store / name, seal)
            seal_by_name[name] = list(astuple(seal))
    checks.save()
    return seal_by_name


def companion_damage(store: Path, files: StageFiles, record: LatestRecord) -> str | None:
    """Return a description of the damage to the companion files of `record`; None if they are intact."""
    check = _CHECKS.get(record.stage)
    if damage := check(store, record) if check else None:
        return damage
    for name, damage in damaged_files(store, files, record, FileChecks(store)).items():
        return "its files are gone" if damage == "is missing" else f"damaged: {name} {damage}"
    return None


def damaged_files(store: Path, files: StageFiles, record: LatestRecord, checks: FileChecks) -> dict[str, str]:
    """Return the damage to the companion files of `record`, by file name relative to `store`."""
    if record.stage == "published_index" and _is_rolled_back(store, files):
        return {}  # scores of an index other than the published one are not read
    return checks.damage_by_name(store, {name: FileSeal(*seal) for name, seal in record.beside.items()})


def _is_rolled_back(store: Path, files: StageFiles) -> bool:
    from kohaku_lib.index import current_version

    index_record = files.latest("vector_tables")
    return index_record is None or current_version(StorePaths(store).snapshots) != index_version(index_record.input_key)


def _snapshot_damage(store: Path, record: LatestRecord) -> str | None:
    from kohaku_lib.index import snapshot_damage

    folder = StorePaths(store).snapshots / index_version(record.input_key)
    if not folder.is_dir():
        return "its files are gone"
    damage = snapshot_damage(folder)
    return next((f"damaged: snapshots/{folder.name}/{name} {fault}" for name, fault in damage.items()), None)


def _pointer_damage(store: Path, record: LatestRecord) -> str | None:
    from kohaku_lib.index import pointer_damage

    folder = StorePaths(store).snapshots
    if not (folder / "current").is_file():
        return "its files are gone"
    damage = pointer_damage(folder)
    return f"damaged: {damage}" if damage else None


def _suggestions_damage(store: Path, record: LatestRecord) -> str | None:
    from kohaku_lib.index.snapshots.snapshot_files import SUGGESTED_FILE

    index_record = StageFiles(StorePaths(store).stages).latest("vector_tables")
    if index_record is None or record.parents.get("vector_tables") != index_record.version:
        return None  # they are of another index
    file = StorePaths(store).snapshots / index_version(index_record.input_key) / SUGGESTED_FILE
    return None if file.is_file() else "its files are gone"


_CHECKS: dict[str, Callable[[Path, LatestRecord], str | None]] = {
    "vector_tables": _snapshot_damage,
    "published_index": _pointer_damage,
    "suggested_questions": _suggestions_damage,
}
