"""What can be wrong with the files of a store: found by reading all of them, each with the way to mend it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kohaku_assets.pipeline.companion_files import damaged_files
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stages import STAGES
from kohaku_lib.index import pointer_damage, snapshot_damage
from kohaku_lib.index.snapshots.snapshot_files import CURRENT, PARTIAL_PREFIX
from kohaku_lib.llm.ledger.calls import parse_call
from kohaku_lib.llm.ledger.lines import damaged_lines, keep_sound_lines
from kohaku_lib.storage import FileChecks, HashMemo, leftovers, read_sealed, views_damage, write_atomically
from kohaku_lib.storage.caches.cache_parts import part_damage
from kohaku_lib.storage.file_checks import CHECKED
from kohaku_lib.storage.stages.stage_files import LATEST

ASIDE = "damaged"  # folder of a store where damaged files are moved to
Looks = Iterator["Fault"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A file of a store that is damaged; `mend` does what can be done and says what it was."""

    path: Path
    wrong: str
    mend: Callable[[], str]


class Aside:
    """Moves damaged files out of the way, beneath a folder of their own in `store`, and deletes none."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._folder = store / ASIDE / datetime.now(UTC).strftime("%Y-%m-%d %H.%M.%S.%f")

    def fault(self, path: Path, wrong: str) -> Fault:
        """Return the fault of a file or folder that is mended by moving it away."""
        return Fault(path, wrong, lambda: self.move(path))

    def move(self, path: Path) -> str:
        """Move a file or folder away and say where it is."""
        beneath = path.relative_to(self._store) if path.is_relative_to(self._store) else Path(*path.parts[-3:])
        target = self._folder / beneath
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() or path.is_symlink():
            shutil.move(path, target)
        return f"moved to {self._folder.relative_to(self._store)}"

    def copy(self, path: Path) -> None:
        """Keep a file as it is, durably."""
        write_atomically(self._folder / path.relative_to(self._store), lambda temporary: shutil.copy2(path, temporary))


def find_faults(project: Project, aside: Aside, *, afresh: bool) -> list[Fault]:
    """Return every fault of the store and of Dagster's history; all is read where `afresh`, else what is new."""
    looks = (_leftovers, _memos, _stage_files, _records, _snapshots, _parts, _calls, _states, _beside, _views, _history)
    return [fault for look in looks for fault in look(project, aside, afresh)]


def _leftovers(project: Project, _aside: Aside, _afresh: bool) -> Looks:
    for path in leftovers(project.store):
        if ASIDE not in path.relative_to(project.store).parts:
            yield Fault(path, "was left unfinished", lambda path=path: _removed(path))


def _memos(project: Project, _aside: Aside, _afresh: bool) -> Looks:
    """What was learnt of files; where that is lost they are read again."""
    cache = project.store / "cache"
    for path in [*sorted(_beneath(project.store, CHECKED)), cache / "file_hashes.json", cache / "payload_ids.json"]:
        if path.exists() and read_sealed(path) is None:
            yield Fault(path, "is not what was written", lambda path=path: _removed(path))


def _stage_files(project: Project, aside: Aside, afresh: bool) -> Looks:
    files, checks = project.files, FileChecks(project.files.root, afresh=afresh)
    for path in sorted(files.root.glob("*/*.parquet")):
        manifest = files.manifest(path.with_suffix(".json"))
        if manifest is None:
            yield aside.fault(path, "has no manifest that can be read")
        elif wrong := checks.damage(path, manifest.seal):
            yield aside.fault(path, wrong)
    for path in sorted(files.root.glob("*/*.json")):
        if path.name == LATEST:
            continue
        if files.manifest(path) is None:
            yield aside.fault(path, "is not what was written, or of another version of kohaku")
        elif not path.with_suffix(".parquet").exists():
            yield aside.fault(path, "tells of a stage file that is missing")


def _records(project: Project, aside: Aside, _afresh: bool) -> Looks:
    for path in sorted(_beneath(project.store, LATEST)):
        if read_sealed(path) is None:
            yield aside.fault(path, "is not what was written, or of another version of kohaku")


def _snapshots(project: Project, aside: Aside, afresh: bool) -> Looks:
    folder = project.snapshots
    checks = FileChecks(folder, afresh=afresh)
    for path in sorted(path for path in folder.glob("*") if path.is_dir()):
        if path.name.startswith(PARTIAL_PREFIX):
            yield aside.fault(path, "was left unfinished")
        elif damage := snapshot_damage(path, checks):
            files = ", ".join(f"{name} {wrong}" for name, wrong in damage.items())
            yield aside.fault(path, f"is damaged: {files}")
    if wrong := pointer_damage(folder):
        yield aside.fault(folder / CURRENT, f"is damaged: {wrong}")


def _parts(project: Project, aside: Aside, afresh: bool) -> Looks:
    for folder in sorted({path.parent for path in (project.store / "cache").rglob("part-*.parquet")}):
        hashes = HashMemo(folder / CHECKED, afresh=afresh)
        for path in sorted(folder.glob("part-*.parquet")):
            if wrong := part_damage(path, hashes):
                yield aside.fault(path, wrong)
        hashes.save()


def _calls(project: Project, aside: Aside, _afresh: bool) -> Looks:
    for path in sorted((project.store / "llm_calls").glob("*.jsonl")):
        damaged, lines = damaged_lines(path, parse_call)
        if damaged:
            wrong = f"{damaged} of {lines} calls cannot be read"
            yield Fault(path, wrong, lambda path=path: _without_damaged(path, aside))


def _states(project: Project, aside: Aside, _afresh: bool) -> Looks:
    for path in sorted((project.store / "history").glob("*.json")):
        if read_sealed(path) is None:
            yield aside.fault(path, "is not what was written, or of another version of kohaku")


def _beside(project: Project, aside: Aside, afresh: bool) -> Looks:
    checks = FileChecks(project.store, afresh=afresh)
    for name in STAGES:
        record = project.files.latest(name)
        damage = damaged_files(project.store, project.files, record, checks) if record else {}
        for path, wrong in ((project.store / own, wrong) for own, wrong in damage.items()):
            yield aside.fault(path, wrong)


def _views(project: Project, _aside: Aside, _afresh: bool) -> Looks:
    path = project.store / "kohaku.duckdb"
    is_due = path.exists() or any(map(project.files.latest, STAGES))
    if wrong := views_damage(path) if is_due else None:
        yield Fault(path, wrong, lambda: _rewritten(project))


def _history(project: Project, aside: Aside, _afresh: bool) -> Looks:
    """Dagster's databases in SQLite, if any; their content mirrors the store."""
    home = Path(os.environ.get("DAGSTER_HOME") or project.home / "dagster_home").absolute()
    for part in ("history", "schedules", "storage"):
        for path in sorted((home / part).rglob("*.db")):
            if wrong := _database_damage(path):
                yield Fault(path, wrong, lambda path=path: _database_aside(path, aside))


def _beneath(store: Path, name: str) -> Iterator[Path]:
    return (path for path in store.rglob(name) if path.relative_to(store).parts[0] != ASIDE)


def _removed(path: Path) -> str:
    path.unlink(missing_ok=True)
    return "removed"


def _without_damaged(path: Path, aside: Aside) -> str:
    """Save the damaged file aside and leave the calls that can be read in its place."""
    aside.copy(path)
    calls = keep_sound_lines(path, parse_call)
    return f"{calls} calls stay in use, the damaged file is saved"


def _rewritten(project: Project) -> str:
    project.write_views()
    return "written anew"


def _database_damage(path: Path) -> str | None:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5)) as connection:
            [found] = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        return None if "locked" in str(error) else f"is no database that can be read ({error})"
    except sqlite3.DatabaseError as error:
        return f"is no database that can be read ({error})"
    return None if found == "ok" else f"is damaged ({found.splitlines()[-1]})"


def _database_aside(path: Path, aside: Aside) -> str:
    for suffix in ("-wal", "-shm"):
        log = path.with_name(path.name + suffix)
        if log.exists():
            aside.move(log)
    return aside.move(path)
