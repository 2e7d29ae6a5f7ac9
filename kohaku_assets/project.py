"""A project at work: its settings, its store, and how one stage is run or found again. Knows nothing of Dagster."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kohaku_assets.beside import SUBMISSION, damage_beside, seals_beside
from kohaku_assets.stage_inputs import Compute, Inputs, StageOutcome, index_version
from kohaku_assets.stages import STAGES, Stage
from kohaku_assets.staleness import (
    AssetStatus,
    asset_statuses,
    projected_versions,
    stage_input_key,
    stage_version,
)
from kohaku_assets.user_files import UserFiles
from kohaku_lib.digests import digest
from kohaku_lib.errors import InputFileError, KohakuError, StoreError
from kohaku_lib.storage import (
    Compaction,
    Donor,
    LatestRecord,
    RowCache,
    StageFiles,
    StageManifest,
    StagePart,
    WrittenParts,
    compact,
    disk_full_told,
    give_back_memory,
    store_lock,
    write_views,
)
from kohaku_lib.tables import StageReport

if TYPE_CHECKING:
    from kohaku_lib.llm import DryChat, Spending
    from kohaku_lib.settings import LoadedSettings, Settings


class Project:
    """Settings and store of one project; stages run through `run_stage`, so that nothing is computed twice."""

    def __init__(self, loaded: LoadedSettings, force: Sequence[str] = (), records: Path | None = None) -> None:
        """Open the project of `loaded`; `records` is where an experiment keeps which outputs are its present ones."""
        self.loaded = loaded
        self.settings: Settings = loaded.settings
        self.store: Path = loaded.settings.store
        self.files = StageFiles(self.store / "stages", records)
        self.force = frozenset(force)
        self.outcomes: dict[str, StageOutcome] = {}
        self.rehash = False  # whether all of the user's files are read, whatever their sizes and times
        self.is_dry = False  # chat models only count what they would be asked
        self.dry_chats: list[DryChat] = []
        self.unchecked: set[str] = set()  # the blocking checks that a run has still to make
        self._row_caches: dict[str, RowCache] = {}
        self.on_stage: Callable[[str], None] = lambda name: None  # told before each stage
        self.on_progress: Callable[[int, int], None] = lambda done, total: None  # told within long ones

    @property
    def home(self) -> Path:
        """The project's folder: that of kohaku.toml, else the working directory."""
        return self.loaded.file.parent if self.loaded.file else Path.cwd()

    @property
    def snapshots(self) -> Path:
        """The folder of index snapshots."""
        return self.store / "snapshots"

    @property
    def submission(self) -> Path:
        """The CSV file of the present answers."""
        return self.store / SUBMISSION

    def with_runs(self, runs: int) -> Project:
        """Return this project with another number of ensemble runs."""
        ensemble = self.settings.ensemble.model_copy(update={"runs": runs})
        return Project(replace(self.loaded, settings=self.settings.model_copy(update={"ensemble": ensemble})))

    def has_snapshot(self, input_key: str) -> bool:
        """Return whether the index snapshot of that input key of vector_tables is there, and what was written."""
        from kohaku_lib.index import snapshot_damage

        return not snapshot_damage(self.snapshots / index_version(input_key))

    def needs_snapshot(self, input_key: str) -> bool:
        """Return whether the index snapshot of that input key is to be written although its folder may be there."""
        return "vector_tables" in self.force or not self.has_snapshot(input_key)

    def prune_snapshots(self) -> list[str]:
        """Delete index versions beyond engine.keep_snapshots, never the one that vector_tables stands for now."""
        from kohaku_lib.index import prune

        record = self.files.latest("vector_tables")
        present = [index_version(record.input_key)] if record else []
        return prune(self.snapshots, self.settings.engine.keep_snapshots, present)

    def damage(self, record: LatestRecord) -> str | None:
        """Return what is wrong with the stage file of `record` and what goes with it; None where nothing is."""
        return self.files.damage(record) or damage_beside(self.store, self.files, record)

    def statuses(self, names: Sequence[str] | None = None) -> list[AssetStatus]:
        """Return what is fresh, stale or missing among `names` (all by default) and their ancestors."""
        try:
            return asset_statuses(self.settings, self.user_files.digests, self.files, self.damage, names)
        finally:
            self.user_files.save()

    def versions(self, names: Sequence[str]) -> dict[str, str]:
        """Return the projected versions of `names` and their ancestors."""
        return projected_versions(self.settings, self.user_files.digests, names)

    def run_stage(
        self,
        name: str,
        compute: Compute,
        effect: Callable[[pa.Table], object] | None = None,
        intact: Callable[[str], bool] | None = None,
    ) -> StageOutcome:
        """Find the stage's output by its input key or compute it, make it the latest, and say what it cost.

        `effect` is what a stage does beside its table (a file written, a pointer swapped); it runs either way, and may
        return a problem in one sentence.
        `intact` tells of an input key whether what the stage keeps beside its table is still there.
        """
        self.on_stage(name)
        stage, started = STAGES[name], time.monotonic()
        with disk_full_told(self.store), store_lock(self.store):
            record, inputs = self._record(stage)
            found = name not in self.force and (intact is None or intact(record.input_key))
            manifest = self.files.find(name, record.input_key) if found else None
            if manifest is not None and manifest.incomplete is None:
                outcome = StageOutcome(manifest, 0, manifest.rows, 0.0, manifest.problems)
            else:
                outcome = self._compute(stage, record, inputs, compute)
            problem = effect(self.files.read(name, record.input_key)) if effect is not None else None
            if isinstance(problem, str):
                outcome = replace(outcome, problems=(*outcome.problems, problem))
            self.files.set_latest(self._made(record, outcome.manifest))
        give_back_memory()
        self.outcomes[name] = replace(outcome, seconds=time.monotonic() - started)
        return self.outcomes[name]

    def _made(self, record: LatestRecord, made: StageManifest) -> LatestRecord:
        beside = seals_beside(self.store, record.stage)
        return replace(record, content_hash=made.content_hash, failed_check=made.incomplete, beside=beside)

    def present(self, name: str) -> LatestRecord | None:
        """Return which output of a stage is the present one; None where there is none, or it is another tenant's.

        What another tenant's run left counts as the own where the own settings and files give the same.
        """
        record = self.files.latest(name)
        if record is None or record.org_id in (None, self.settings.corpus.org_id):
            return record
        try:
            return record if record.version == self.versions([name])[name] else None
        except KohakuError:  # files that cannot be read
            return None

    def present_table(self, name: str) -> pa.Table:
        """Return the present output of a stage; raises StoreError where there is none, or it is another tenant's."""
        record = self.present(name)
        if record is None:
            whose = "has not been built" if self.files.latest(name) is None else "is another tenant's in this store"
            msg = f"{name!r} {whose}; run 'kohaku refresh {name}'"
            raise StoreError(msg)
        return self.files.read(name, record.input_key)

    def write_views(self) -> None:
        """Write kohaku.duckdb anew: views over every stage's present output, the call ledger and the published index.

        Of all but the ledger they show the own tenant's alone.
        """
        from kohaku_lib.index import current_version, snapshot_damage

        version = current_version(self.snapshots)
        if version and "index.duckdb" in snapshot_damage(self.snapshots / version):
            version = None
        latest = [record for name in STAGES if (record := self.present(name)) and self.files.is_intact(record)]
        stages = {record.stage: self.files.path(record.stage, record.input_key) for record in latest}
        index = self.snapshots / version / "index.duckdb" if version else None
        org_id = self.settings.corpus.org_id
        write_views(self.store / "kohaku.duckdb", stages, self.store / "llm_calls", index, org_id)

    def reject(self, stage: str, sentence: str) -> None:
        """Remember that a blocking check failed on the stage's present output, so that it does not count as fresh."""
        record = self.files.latest(stage)
        if record is not None:
            self.files.set_latest(replace(record, failed_check=sentence))

    def row_cache(self, name: str, schema: pa.Schema) -> RowCache:
        """Return the row cache `name`, whose keys are read once; close it to make the last rows durable."""
        if name in self._row_caches:
            self._row_caches[name].look()
        else:
            self._row_caches[name] = RowCache(self.store / "cache" / name, schema)
        return self._row_caches[name]

    def compact_caches(self) -> Compaction:
        """Put the small parts of every row cache together; the caller holds the store's lock."""
        folders = sorted({part.parent for part in (self.store / "cache").rglob("part-*.parquet")})
        found = [compact(folder) for folder in folders]
        sums = (sum(getattr(one, name) for one in found) for name in Compaction.__dataclass_fields__)
        return Compaction(*sums)

    @cached_property
    def user_files(self) -> UserFiles:
        """The files that the settings name."""
        return UserFiles(self.settings.corpus, self.store / "cache", rehash=self.rehash)

    @cached_property
    def spending(self) -> Spending:
        """What the calls of language models have cost in this process, which llm.max_cost_usd limits."""
        from kohaku_lib.llm import Spending

        return Spending()

    def _record(self, stage: Stage) -> tuple[LatestRecord, Inputs]:
        parents = {name: self._parent(stage, name) for name in stage.reads}
        files = self.user_files.digests[stage.name]() if stage.reads_files else None
        settings_slice = stage.slice(self.settings)
        versions = {name: record.version for name, record in parents.items()}
        hashes = {name: record.content_hash for name, record in parents.items()}
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
            org_id=self.settings.corpus.org_id,
        )
        return record, Inputs(self.files, parents, input_key, self._donor(stage, settings_slice))

    def _donor(self, stage: Stage, settings_slice: Mapping[str, Any]) -> Donor:
        """The stage's present output, whose pieces the next one may take over unless it is forced."""
        salt = digest([stage.name, stage.code_tag, settings_slice])
        before = self.files.latest(stage.name)
        if before is None or stage.name in self.force or not self.files.is_intact(before):
            return Donor(None, salt)
        try:
            return Donor(self.files.open(stage.name, before.input_key), salt)
        except StoreError:  # damaged: then all of it is computed
            return Donor(None, salt)

    def _parent(self, stage: Stage, name: str) -> LatestRecord:
        record = self.files.latest(name)
        if record is None or self.damage(record):
            msg = f"{stage.name!r} reads {name!r}, which has not been built; run 'kohaku refresh {stage.name}'"
            raise StoreError(msg)
        manifest = self.files.find(name, record.input_key)
        if record.failed_check and manifest is not None and manifest.incomplete is None:
            msg = (
                f"{stage.name!r} reads {name!r}, which is not fit for use: {record.failed_check}; mend its input first"
            )
            raise StoreError(msg)
        return record

    def _compute(self, stage: Stage, record: LatestRecord, inputs: Inputs, compute: Compute) -> StageOutcome:
        started = time.monotonic()
        output = compute(inputs)
        parts = iter([StagePart(*output)]) if isinstance(output, tuple) else output
        reports: list[StageReport] = []

        def describe(written: WrittenParts) -> StageManifest:
            if self._record(stage)[0].input_key != record.input_key:
                msg = (
                    f"a file that {stage.name!r} reads was changed while it was read; run 'kohaku refresh {stage.name}'"
                )
                raise InputFileError(msg)
            report = written.report
            reports.append(report)
            return StageManifest(
                stage=stage.name,
                input_key=record.input_key,
                content_hash=written.content_hash or record.input_key,
                rows=written.rows,
                rows_computed=report.rows_computed,
                built_at=datetime.now(UTC).isoformat(timespec="seconds"),
                seconds=round(time.monotonic() - started, 3),
                problems=report.problems,
                metrics=dict(report.metrics),
                incomplete=report.incomplete,
            )

        hashed = not stage.hash_inputs
        manifest = self.files.write_parts(stage.name, record.input_key, parts, describe, hashed=hashed)
        return StageOutcome(manifest, reports[0].rows_computed, reports[0].rows_reused, 0.0, manifest.problems)
