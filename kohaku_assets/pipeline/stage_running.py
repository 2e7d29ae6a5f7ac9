"""Runs stages: looks an output up by input key, or computes it. Imports no Dagster."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from kohaku_assets.pipeline.companion_files import companion_seals
from kohaku_assets.pipeline.disk_budget import disk_warning
from kohaku_assets.pipeline.effect import Effect
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage import Stage
from kohaku_assets.pipeline.stage_inputs import Inputs, StageOutcome
from kohaku_assets.pipeline.stages import STAGES, parents, readable
from kohaku_assets.pipeline.staleness import stage_input_key, stage_version
from kohaku_lib.digests import digest
from kohaku_lib.errors import InputFileError, StoreError
from kohaku_lib.parallel import give_back_memory
from kohaku_lib.settings.renamed import with_first_names
from kohaku_lib.settings.section import Slice
from kohaku_lib.storage import (
    LatestRecord,
    Origin,
    PreviousOutput,
    StageManifest,
    StagePart,
    WrittenParts,
    store_error_if_disk_full,
    store_lock,
)
from kohaku_lib.tables import TO_RETRY, StageReport

_LOGGER = logging.getLogger(__name__)


def run_stages(run: Run, names: Iterable[str]) -> None:
    """Run the stages `names` in order; stored outputs are reused."""
    for name in names:
        run_stage(run, STAGES[name])


def run_stage(run: Run, stage: Stage) -> StageOutcome:
    """Look up the output of a stage by its input key or compute it, and record it as the latest.

    Its effect runs in both cases.

    Raises:
        StoreError: An input is missing or failed a check, or the disk is full.
    """
    name, project, started = stage.name, run.project, time.monotonic()
    run.on_stage(name)
    with store_error_if_disk_full(project.store), store_lock(project.store):
        record, inputs = _stage_record(run, stage)
        manifest = _stored_manifest(run, stage, record)
        if manifest is not None:
            outcome = StageOutcome(manifest, 0, manifest.rows, 0.0, manifest.problems)
        else:
            warning = disk_warning(project, name)
            if warning:
                _LOGGER.warning(warning)
            outcome = _compute(run, stage, record, inputs)
            outcome = replace(outcome, problems=(*outcome.problems, warning)) if warning else outcome
        outcome = _with_effect(run, stage, record, outcome)
        project.files.set_latest(_finished_record(run, record, outcome.manifest))
    give_back_memory()
    run.outcomes[name] = replace(outcome, seconds=time.monotonic() - started)
    return run.outcomes[name]


def _stored_manifest(run: Run, stage: Stage, record: LatestRecord) -> StageManifest | None:
    """Return the manifest of the stored output if it is complete, intact, not forced and has nothing to be tried again."""
    is_wanted = stage.name not in run.force and (stage.intact is None or stage.intact(run, record.input_key))
    manifest = run.project.files.find(stage.name, record.input_key) if is_wanted else None
    is_final = manifest is not None and manifest.incomplete is None and not manifest.metrics.get(TO_RETRY)
    return manifest if is_final else None


def _with_effect(run: Run, stage: Stage, record: LatestRecord, outcome: StageOutcome) -> StageOutcome:
    if stage.effect is None:
        return outcome
    read = readable(stage.name, run.settings, by_effect=True)
    effect = stage.effect(run.sliced(read), run.project.files.read(stage.name, record.input_key)) or Effect()
    _raise_breaches(read)
    problems = (effect.problem,) if effect.problem else ()
    return replace(outcome, problems=(*outcome.problems, *problems), shown=effect.shown)


def _raise_breaches(read: Slice) -> None:
    """Raise the first SliceError of a stage, even if its code has gone on, as it does after an error in one question."""
    if read.breaches:
        raise read.breaches[0]


def _finished_record(run: Run, record: LatestRecord, made: StageManifest) -> LatestRecord:
    beside = companion_seals(run.project.store, record.stage)
    return replace(record, content_hash=made.content_hash, failed_check=made.incomplete, beside=beside)


def _stage_record(run: Run, stage: Stage) -> tuple[LatestRecord, Inputs]:
    inputs = {name: _parent(run, stage, name) for name in parents(stage, run.settings)}
    files = run.project.user_files.digests[stage.name]() if stage.reads_files else None
    settings_slice = stage.slice(run.settings)
    versions = {name: record.version for name, record in inputs.items()}
    hashes = {name: record.content_hash for name, record in inputs.items()}
    input_key = stage_input_key(stage, settings_slice, files, hashes)
    record = LatestRecord(
        stage=stage.name,
        version=stage_version(stage, settings_slice, files, versions),
        input_key=input_key,
        content_hash="",
        code_tag=stage.code_tag,
        slice=settings_slice,
        parents=versions,
        files=files,
        org_id=run.settings.corpus.org_id,
        place=run.project.documents_place if stage.reads_files else None,
    )
    return record, Inputs(run.project.files, inputs, input_key, _previous(run, stage, settings_slice))


def _previous(run: Run, stage: Stage, settings_slice: Mapping[str, Any]) -> PreviousOutput:
    """Return the current output of a stage, from which the next one may reuse parts unless it is forced."""
    salt = digest([stage.name, stage.code_tag, with_first_names(settings_slice)])
    files = run.project.files
    before = files.latest(stage.name)
    if before is None or stage.name in run.force or not files.is_intact(before):
        return PreviousOutput(None, salt)
    try:
        return PreviousOutput(files.open(stage.name, before.input_key), salt)
    except StoreError:  # damaged: nothing is reused
        return PreviousOutput(None, salt)


def _parent(run: Run, stage: Stage, name: str) -> LatestRecord:
    project = run.project
    record = project.files.latest(name)
    if record is None or project.damage(record):
        msg = f"{stage.name!r} reads {name!r}, which has not been built; run 'kohaku refresh {stage.name}'"
        raise StoreError(msg)
    manifest = project.files.find(name, record.input_key)
    if record.failed_check and manifest is not None and manifest.incomplete is None:
        msg = f"{stage.name!r} reads {name!r}, which failed a check: {record.failed_check}; fix its input first"
        raise StoreError(msg)
    return record


def _compute(run: Run, stage: Stage, record: LatestRecord, inputs: Inputs) -> StageOutcome:
    started = time.monotonic()
    read = readable(stage.name, run.settings)
    output = stage.compute(run.sliced(read), inputs)
    parts = iter([StagePart(*output)]) if isinstance(output, tuple) else output
    reports: list[StageReport] = []

    def describe(written: WrittenParts) -> StageManifest:
        _raise_breaches(read)
        if _stage_record(run, stage)[0].input_key != record.input_key:
            msg = f"a file that {stage.name!r} reads changed during the run; run 'kohaku refresh {stage.name}'"
            raise InputFileError(msg)
        reports.append(written.report)
        origin = Origin(record.code_tag, record.slice, inputs.keys, record.files, run.dagster_id)
        return _manifest(record, origin, written, time.monotonic() - started)

    hashed = not stage.hash_inputs
    manifest = run.project.files.write_parts(stage.name, record.input_key, parts, describe, hashed=hashed)
    return StageOutcome(manifest, reports[0].rows_computed, reports[0].rows_reused, 0.0, manifest.problems)


def _manifest(record: LatestRecord, origin: Origin, written: WrittenParts, seconds: float) -> StageManifest:
    report = written.report
    return StageManifest(
        stage=record.stage,
        input_key=record.input_key,
        content_hash=written.content_hash or record.input_key,
        rows=written.rows,
        rows_computed=report.rows_computed,
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        problems=report.problems,
        metrics=dict(report.metrics),
        incomplete=report.incomplete,
        origin=origin,
    )
