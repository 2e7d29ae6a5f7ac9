"""What stages keep in the store beside their tables: an index snapshot, the file of answers, reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Any

from kohaku_assets.pipeline.stage_inputs import index_version
from kohaku_lib.storage import FileChecks, FileSeal, LatestRecord, StageFiles, seal_of

SUBMISSION, RELEASE_SCORES = "submission.csv", "release_scores.parquet"
REPORTS = ("reports/error_report.html", "reports/error_report.md")
_FILES = {"submission": (SUBMISSION,), "error_report": REPORTS, "published_index": (RELEASE_SCORES,)}


def seals_beside(store: Path, stage: str) -> dict[str, list[Any]]:
    """Return the size and hash of each file that `stage` has written beside its table."""
    checks, found = FileChecks(store), dict[str, list[Any]]()
    for name in _FILES.get(stage, ()):
        if (store / name).is_file():
            seal = seal_of(store / name)
            checks.note(store / name, seal)
            found[name] = list(astuple(seal))
    checks.save()
    return found


def damage_beside(store: Path, files: StageFiles, record: LatestRecord) -> str | None:
    """Return what is wrong with what the stage of `record` keeps beside its table; None where nothing is."""
    look = _LOOKS.get(record.stage)
    if wrong := look(store, record) if look else None:
        return wrong
    for name, damage in damaged_files(store, files, record, FileChecks(store)).items():
        return "its files are gone" if damage == "is missing" else f"damaged: {name} {damage}"
    return None


def damaged_files(store: Path, files: StageFiles, record: LatestRecord, checks: FileChecks) -> dict[str, str]:
    """Return what is wrong with the files that the stage of `record` wrote beside its table, by their names in `store`."""
    if record.stage == "published_index" and _is_rolled_back(store, files):
        return {}  # scores of another index than the published one are not read
    found = {name: checks.damage(store / name, FileSeal(*seal)) for name, seal in record.beside.items()}
    return {name: wrong for name, wrong in found.items() if wrong}


def _is_rolled_back(store: Path, files: StageFiles) -> bool:
    from kohaku_lib.index import current_version

    built = files.latest("vector_tables")
    return built is None or current_version(store / "snapshots") != index_version(built.input_key)


def _snapshot(store: Path, record: LatestRecord) -> str | None:
    from kohaku_lib.index import snapshot_damage

    folder = store / "snapshots" / index_version(record.input_key)
    if not folder.is_dir():
        return "its files are gone"
    damage = snapshot_damage(folder)
    return next((f"damaged: snapshots/{folder.name}/{name} {wrong}" for name, wrong in damage.items()), None)


def _pointer(store: Path, record: LatestRecord) -> str | None:
    from kohaku_lib.index import pointer_damage

    if not (store / "snapshots" / "current").is_file():
        return "its files are gone"
    damage = pointer_damage(store / "snapshots")
    return f"damaged: {damage}" if damage else None


_LOOKS: dict[str, Callable[[Path, LatestRecord], str | None]] = {
    "vector_tables": _snapshot,
    "published_index": _pointer,
}
