"""The state history of a project: which outputs belong to which answers, so that states can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stage_inputs import index_version
from kohaku_assets.pipeline.stages import MEASURED, STAGES, with_ancestors
from kohaku_lib.digests import digest
from kohaku_lib.storage import LatestRecord, StageFiles, read_sealed, write_sealed

MAX_STATES = 200  # about 20 kB each


@dataclass(frozen=True, slots=True)
class PastState:
    """The outputs that led to some answers, by stage; `metrics` are their scores, None if lost."""

    id: str
    made_at: str  # ISO 8601, UTC
    records: Mapping[str, LatestRecord]
    metrics: Mapping[str, float] | None = None

    @property
    def index_version(self) -> str:
        """The index version that was queried."""
        return index_version(self.records["vector_tables"].input_key)

    @property
    def org_id(self) -> str:
        """The tenant whose documents were queried."""
        return self.records["documents"].slice["corpus.org_id"]

    @property
    def held_back(self) -> str | None:
        """Why the release of these answers was blocked; None if it was not."""
        return next((why for name in MEASURED if (why := self.records[name].failed_check)), None)


def present_records(files: StageFiles) -> dict[str, LatestRecord]:
    """Return the record of the current output of every stage that has been built."""
    return {name: record for name in STAGES if (record := files.latest(name))}


def own_records(project: Project) -> dict[str, LatestRecord]:
    """Return the record of the current output of every stage that the project's tenant has built."""
    return {name: record for name in STAGES if (record := project.present(name))}


def record_state(project: Project) -> PastState | None:
    """Record the current outputs as a state and return it; if they are inconsistent, record nothing and return None.

    A state that was recorded before becomes the newest one. Beyond 200 states the oldest are deleted.
    """
    records = own_records(project)
    if not _is_consistent(records):
        return None
    made_at = _next_moment(project)
    state = PastState(state_id(records), made_at, records, _score_metrics(project.files, records))
    path = project.paths.history / f"{made_at.replace(':', '-')} {state.id}.json"
    before = [old for old in _state_paths(project) if old.stem.split()[-1] == state.id]
    newest = _read_state(before[-1]) if before and before[-1] == _state_paths(project)[-1] else None
    if newest and newest.records == records:
        return newest
    records = {name: asdict(record) for name, record in state.records.items()}
    write_sealed(path, {"made_at": state.made_at, "metrics": state.metrics, "records": records}, durable=True)
    for old in [*before, *_state_paths(project)[:-MAX_STATES]]:
        old.unlink(missing_ok=True)
    return state


def _next_moment(project: Project) -> str:
    """Return the present moment, or the one after the newest state's where the clock has run ahead of it."""
    now, paths = datetime.now(UTC), _state_paths(project)
    newest = _read_state(paths[-1]) if paths else None
    after = datetime.fromisoformat(newest.made_at) + timedelta(microseconds=1) if newest is not None else now
    return max(now, after).isoformat(timespec="microseconds")


def past_states(project: Project) -> list[PastState]:
    """Return the recorded states of the project's tenant, newest first.

    Files that cannot be read or lack a current stage are skipped.
    """
    return list(_states(project))


def newest_state(project: Project) -> PastState | None:
    """Return the latest recorded state of the project's tenant; None if there is none."""
    return next(_states(project), None)


def state_outputs(project: Project, number: int) -> set[tuple[str, str]]:
    """Return the outputs of the `number` newest states, by stage and input key."""
    newest = islice(_states(project), number)
    return {(name, record.input_key) for state in newest for name, record in state.records.items()}


def state_id(records: Mapping[str, LatestRecord]) -> str:
    """Return the id of a state, a digest of its outputs' input keys."""
    return digest([[name, records[name].input_key] for name in with_ancestors(MEASURED) if name in records])[:8]


def removed_outputs(project: Project, state: PastState) -> list[str]:
    """Return the answer and evaluation stages whose output in `state` no longer exists."""
    return [
        name
        for name, record in state.records.items()
        if STAGES[name].group in ("answer", "evaluate") and project.files.find(name, record.input_key) is None
    ]


_FILES_OF = {"source_files": "the documents", "questions": "the questions"}


def changed_keys(older: Mapping[str, LatestRecord], newer: Mapping[str, LatestRecord]) -> list[str]:
    """Return the files, settings and code tags that differ between the records of two states, of stages in both.

    Settings that both states read come before those that only one reads (providers read different settings).
    """
    files: list[str] = []
    shared: list[str] = []
    single: list[str] = []
    for name in with_ancestors(MEASURED):
        if name not in older or name not in newer:
            continue
        one, other = older[name], newer[name]
        shared += [key for key in one.slice if key in other.slice and one.slice[key] != other.slice[key]]
        single += sorted(one.slice.keys() ^ other.slice.keys())
        files += [_FILES_OF.get(name, f"files of {name}")] if one.files != other.files else []
        shared += [f"code of {name}"] if one.code_tag != other.code_tag else []
    return list(dict.fromkeys([*files, *shared, *single]))


def _states(project: Project) -> Iterator[PastState]:
    states = (_read_state(path) for path in reversed(_state_paths(project)))
    return (state for state in states if state and state.org_id == project.settings.corpus.org_id)


def _is_consistent(records: Mapping[str, LatestRecord]) -> bool:
    """Whether the outputs up to the scores were computed from each other; scores that block a release are accepted."""
    needed_stages = with_ancestors(MEASURED)
    sound_stages = {name for name, record in records.items() if name in MEASURED or not record.failed_check}
    return sound_stages.issuperset(needed_stages) and all(
        version == records[parent].version
        for name in needed_stages
        for parent, version in records[name].parents.items()
    )


def _score_metrics(files: StageFiles, records: Mapping[str, LatestRecord]) -> dict[str, float] | None:
    manifest = files.find("scores", records["scores"].input_key)
    return None if manifest is None else dict(manifest.metrics)


def _read_state(path: Path) -> PastState | None:
    try:
        content: dict[str, Any] = read_sealed(path) or {}
        records = {name: LatestRecord(**record) for name, record in content["records"].items() if name in STAGES}
        state = PastState(path.stem.split()[-1], content["made_at"], records, content["metrics"])
        return state if records.keys() >= set(with_ancestors(MEASURED)) else None
    except (KeyError, TypeError):
        return None


def _state_paths(project: Project) -> list[Path]:
    return sorted(project.paths.history.glob("*.json"))
