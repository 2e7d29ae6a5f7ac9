"""The history of a project: which outputs belonged together when answers were made, so that states can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stage_inputs import index_version
from kohaku_assets.pipeline.stages import MEASURED, STAGES, with_ancestors
from kohaku_lib.digests import digest
from kohaku_lib.storage import LatestRecord, StageFiles, read_sealed, write_sealed

MOST_STATES = 200  # states of some 20 kB


@dataclass(frozen=True, slots=True)
class PastState:
    """The outputs that led to some answers, by stage; `metrics` are their scores, None where they are lost."""

    id: str
    made_at: str  # ISO 8601, UTC
    records: Mapping[str, LatestRecord]
    metrics: Mapping[str, float] | None = None

    @property
    def index_version(self) -> str:
        """The index that was asked."""
        return index_version(self.records["vector_tables"].input_key)

    @property
    def org_id(self) -> str:
        """The tenant whose documents were asked."""
        return self.records["documents"].slice["corpus.org_id"]

    @property
    def held_back(self) -> str | None:
        """Why these answers were not published, None where nothing held them back."""
        return next((why for name in MEASURED if (why := self.records[name].failed_check)), None)


def present_records(files: StageFiles) -> dict[str, LatestRecord]:
    """Return the present output of every stage that has been built."""
    return {name: record for name in STAGES if (record := files.latest(name))}


def own_records(project: Project) -> dict[str, LatestRecord]:
    """Return the present output of every stage that the project's tenant has built."""
    return {name: record for name in STAGES if (record := project.present(name))}


def record_state(project: Project) -> PastState | None:
    """Record the present outputs as a state and return it; None, and nothing is recorded, where they do not belong together.

    A state that was recorded before becomes the newest one. Beyond 200 states the oldest go.
    """
    records = own_records(project)
    if not _is_whole(records):
        return None
    made_at = datetime.now(UTC).isoformat(timespec="microseconds")
    state = PastState(state_id(records), made_at, records, _metrics(project.files, records))
    path = _folder(project) / f"{made_at.replace(':', '-')} {state.id}.json"
    before = [old for old in _paths(project) if old.stem.split()[-1] == state.id]
    newest = _read(before[-1]) if before and before[-1] == _paths(project)[-1] else None
    if newest and newest.records == records:
        return newest
    records = {name: asdict(record) for name, record in state.records.items()}
    write_sealed(path, {"made_at": state.made_at, "metrics": state.metrics, "records": records}, durable=True)
    for old in [*before, *_paths(project)[:-MOST_STATES]]:
        old.unlink(missing_ok=True)
    return state


def past_states(project: Project) -> list[PastState]:
    """Return the recorded states of the project's tenant, newest first.

    Files that cannot be read, or lack a stage of today, are passed over.
    """
    states = (_read(path) for path in reversed(_paths(project)))
    return [state for state in states if state and state.org_id == project.settings.corpus.org_id]


def state_id(records: Mapping[str, LatestRecord]) -> str:
    """Return the name of a state, which is that of its outputs."""
    return digest([[name, records[name].input_key] for name in with_ancestors(MEASURED) if name in records])[:8]


def lost_outputs(project: Project, state: PastState) -> list[str]:
    """Return the stages of answering and scoring whose output in `state` is gone."""
    return [
        name
        for name, record in state.records.items()
        if STAGES[name].group in ("answer", "evaluate") and project.files.find(name, record.input_key) is None
    ]


def changed_keys(older: PastState, newer: PastState) -> list[str]:
    """Return the files, settings and stages of other code that differ between two states.

    Settings that both read come before those that only one reads, as another provider reads others.
    """
    files: list[str] = []
    shared: list[str] = []
    single: list[str] = []
    for name in with_ancestors(MEASURED):
        one, other = older.records[name], newer.records[name]
        shared += [key for key in one.slice if key in other.slice and one.slice[key] != other.slice[key]]
        single += sorted(one.slice.keys() ^ other.slice.keys())
        files += [f"files of {name}"] if one.files != other.files else []
        shared += [f"code of {name}"] if one.code_tag != other.code_tag else []
    return list(dict.fromkeys([*files, *shared, *single]))


def _is_whole(records: Mapping[str, LatestRecord]) -> bool:
    """Whether each output up to the scores was made of the others; scores that hold a release back are as good."""
    wanted = with_ancestors(MEASURED)
    sound = {name for name, record in records.items() if name in MEASURED or not record.failed_check}
    return sound.issuperset(wanted) and all(
        version == records[parent].version for name in wanted for parent, version in records[name].parents.items()
    )


def _metrics(files: StageFiles, records: Mapping[str, LatestRecord]) -> dict[str, float] | None:
    manifest = files.find("scores", records["scores"].input_key)
    return None if manifest is None else dict(manifest.metrics)


def _read(path: Path) -> PastState | None:
    try:
        content: dict[str, Any] = read_sealed(path) or {}
        records = {name: LatestRecord(**record) for name, record in content["records"].items() if name in STAGES}
        state = PastState(path.stem.split()[-1], content["made_at"], records, content["metrics"])
        return state if records.keys() >= set(with_ancestors(MEASURED)) else None
    except (KeyError, TypeError):
        return None


def _folder(project: Project) -> Path:
    return project.store / "history"


def _paths(project: Project) -> list[Path]:
    return sorted(_folder(project).glob("*.json"))
