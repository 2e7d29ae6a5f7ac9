"""Comparison sources by name: an answers file, a bundle, a project state, a sweep cell."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from kohaku_assets.experiments.cells import cell_records, planned_cells
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stages import MEASURED
from kohaku_assets.records.provenance import document_digests
from kohaku_assets.records.state_history import PastState, own_records, past_states, present_records, state_id
from kohaku_lib.errors import InputFileError, KohakuError, StoreError
from kohaku_lib.evaluation import RecordedTables, read_rows, score_rows, submission_rows
from kohaku_lib.evaluation.bundle import open_bundle
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.storage import LatestRecord, StageFiles
from kohaku_lib.tables import ENSEMBLE_VOTES, SCORES
from kohaku_lib.values import parse_refs

NOW, BEFORE = "now", "before"
SOURCE_FORMS = (
    "a CSV file of answers, a bundle (.zip), 'now', 'before' or an id of 'kohaku history', a version of 'kohaku "
    "snapshots', or SWEEP/LINE/X"
)


@dataclass(frozen=True, slots=True)
class ComparisonSource:
    """One source: its name, its available tables, and its answers as rows with the WattBot columns."""

    name: str
    tables: RecordedTables
    rows: Sequence[Mapping[str, str]]


def open_source(project: Project, name: str, truth: Sequence[Mapping[str, str]] = ()) -> ComparisonSource:
    """Return the comparison source called `name`; an answers file is scored against `truth`.

    Raises:
        InputFileError: There is no such source, or its answers no longer exist.
    """
    path = Path(name)
    if path.is_file():
        return _bundle_source(path) if path.suffix == ".zip" else _answers_source(path, truth)
    if path.suffix in (".csv", ".zip"):
        return _answers_source(path, truth)  # raises the error for a missing file
    if "/" in name:
        return _records_source(name, cell_files(project, name))
    if name == NOW:
        return _records_source(NOW, (project.files, own_records(project)))
    state = _find_state(project, name)
    return _records_source(f"{state.id} of {state.made_at[:16]}", (project.files, state.records))


def cell_files(project: Project, name: str) -> tuple[StageFiles, Mapping[str, LatestRecord]]:
    """Return the stage files and the records of the sweep cell "sweep/line/x".

    Raises:
        KohakuError: There is no such sweep or cell.
    """
    sweep, _, cell = name.partition("/")
    cell_by_name = {f"{one.cell.line}/{one.cell.x}": one.cell for one in planned_cells(project, sweep)}
    if cell not in cell_by_name:
        msg = f"the sweep {sweep!r} has no cell {cell!r}; its cells are {', '.join(cell_by_name)}"
        raise KohakuError(msg)
    files = StageFiles(project.paths.stages, cell_records(project, cell_by_name[cell]))
    return files, present_records(files)


def called_prompts(project: Project, question: str) -> frozenset[str] | None:
    """Return the digests of the answer prompts sent for `question`; None if there is no call ledger."""
    paths = sorted(project.paths.llm_calls.glob("*.jsonl"))
    if not paths:
        return None
    lines = (line for path in paths for line in path.read_text("utf-8", "replace").splitlines())
    return frozenset(prompt_digest for line in lines if (prompt_digest := _prompt_digest(line, question)))


def _prompt_digest(line: str, question: str) -> str | None:
    try:
        call = json.loads(line)
        is_match = call["question_id"] == question and call["stage"] == "predictions"
        return call["prompt_sha256"] if is_match else None
    except (ValueError, KeyError, TypeError):  # line truncated by a kill
        return None


def _find_state(project: Project, name: str) -> PastState:
    states = past_states(project)
    if name == BEFORE:
        now = state_id(own_records(project))
        matching_states = [state for state in states if state.id != now]
    else:
        matching_states = [state for state in states if name in (state.id, state.index_version)]
    if matching_states:
        return matching_states[0]
    if name == BEFORE:
        msg = "there is no state before the current one; change a setting or a file and run 'kohaku refresh' first"
        raise InputFileError(msg)
    msg = f"there is no comparison source {name!r}; use {SOURCE_FORMS}"
    raise InputFileError(msg)


def _records_source(name: str, stored: tuple[StageFiles, Mapping[str, LatestRecord]]) -> ComparisonSource:
    files, records = stored
    stage_tables = {stage: _stage_table(files, records.get(stage)) for stage in _READ}
    votes = stage_tables["ensemble_votes"]
    if votes is None:
        msg = f"the answers of {name!r} do not exist (any more); run 'kohaku refresh' or the sweep, or choose another source"
        raise InputFileError(msg)
    stages = {stage: {"code": record.code_tag, "settings": record.slice} for stage, record in records.items()}
    sources = stage_tables["source_files"]
    tables = RecordedTables(
        stages={stage: value for stage, value in stages.items() if stage not in _AFTER},
        documents=None if sources is None else document_digests(sources),
        questions=stage_tables["questions"],
        contexts=stage_tables["retrieved_context"],
        predictions=stage_tables["predictions"],
        votes=votes,
        scores=stage_tables["scores"],
    )
    return ComparisonSource(name, tables, submission_rows(votes))


def _bundle_source(path: Path) -> ComparisonSource:
    bundle = open_bundle(path)
    stages = bundle.record.get("stages") or {}
    recorded_stages = {name: value for name, value in stages.items() if "settings" in value and name not in _AFTER}
    tables = RecordedTables(
        stages=recorded_stages or None,
        documents=bundle.record.get("documents"),
        questions=bundle.questions,
        predictions=bundle.predictions,
        votes=bundle.votes,
        scores=bundle.scores,
    )
    return ComparisonSource(str(path), tables, submission_rows(bundle.votes))


def _answers_source(path: Path, truth: Sequence[Mapping[str, str]]) -> ComparisonSource:
    rows = read_rows(path)
    answer_ids = {row.get("id") for row in rows}
    labelled = [row for row in truth if row["id"] in answer_ids]
    scores = [
        {"member": "ensemble", "metric": metric, "id": row.id}
        | {"value": row.value, "ref": row.ref, "na": row.na, "score": row.score}
        for metric in (ANSWER_METRICS.names() if labelled else ())
        for row in score_rows(labelled, rows, metric).rows
    ]
    text = {field.name for field in ENSEMBLE_VOTES if field.type == pa.string()}
    votes = [
        {name: row.get(name) or "" for name in text}
        | {"ref_id": list(parse_refs(row.get("ref_id") or "")), "ref_url": [], "agreement": 1.0, "probability": None}
        for row in rows
    ]
    tables = RecordedTables(
        votes=pa.Table.from_pylist(votes, schema=ENSEMBLE_VOTES),
        scores=pa.Table.from_pylist(scores, schema=SCORES) if scores else None,
    )
    return ComparisonSource(str(path), tables, rows)


def _stage_table(files: StageFiles, record: LatestRecord | None) -> pa.Table | None:
    try:
        return None if record is None else files.read(record.stage, record.input_key)
    except StoreError:  # deleted: the comparison proceeds without it
        return None


_READ = (
    "source_files",
    "questions",
    "retrieved_context",
    "predictions",
    "ensemble_votes",
    "scores",
)
_AFTER = frozenset({"error_report", "submission", "suggested_questions", "published_index", *MEASURED})
