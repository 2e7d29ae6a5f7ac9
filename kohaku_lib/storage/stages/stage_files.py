"""Stage outputs as Parquet files by input key, and the record of the latest output per stage."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kohaku_lib.errors import StoreError
from kohaku_lib.storage.atomic import write_atomically
from kohaku_lib.storage.file_checks import FileChecks, FileSeal, seal_of
from kohaku_lib.storage.sealed_json import read_sealed, write_sealed
from kohaku_lib.storage.stages.stage_parts import StagePart, merge_reports
from kohaku_lib.storage.stages.stage_reader import StageReader
from kohaku_lib.storage.stages.stage_writer import StageWriter
from kohaku_lib.tables import StageReport

LATEST = "latest.json"


@dataclass(frozen=True, slots=True)
class Origin:
    """What a stage file was computed from, all that its input key is a digest of; and by which run."""

    code_tag: str
    slice: dict[str, Any]  # the settings that the stage reads
    inputs: dict[str, str]  # input key of each parent stage
    files: str | None = None  # digest of the user's files that the stage read, if any
    run_id: str | None = None  # the Dagster run; None outside of Dagster


@dataclass(frozen=True, slots=True)
class StageManifest:
    """Metadata beside a stage file: its origin and content."""

    stage: str
    input_key: str
    content_hash: str
    rows: int
    rows_computed: int  # when the file was written
    built_at: str  # ISO 8601, UTC
    seconds: float
    problems: tuple[str, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)
    incomplete: str | None = None  # why it has gaps, after an external fault
    origin: Origin | None = None  # None if an older version of Kohaku wrote it
    bytes: int = 0  # of the stage file, set by `write_parts`
    sha256: str = ""

    @property
    def seal(self) -> FileSeal:
        """Size and hash of the stage file when it was written."""
        return FileSeal(self.bytes, self.sha256)


@dataclass(frozen=True, slots=True)
class LatestRecord:
    """The current output of a stage, and everything that determined its version."""

    stage: str
    version: str  # cumulative code version
    input_key: str
    content_hash: str
    code_tag: str
    slice: dict[str, Any]  # the settings that the stage reads
    parents: dict[str, str]  # version read of each parent stage
    files: str | None = None  # digest of the user's files that the stage read, if any
    failed_check: str | None = None  # why it is not fresh: a failed blocking check, or gaps
    beside: dict[str, list[Any]] = field(
        default_factory=dict
    )  # bytes and SHA-256 of each file written beside the table
    org_id: str | None = None  # the tenant whose run made it current; None if unknown
    place: str | None = None  # of the documents that `files` tells of, relative to the store; None if unknown


@dataclass(frozen=True, slots=True)
class WrittenParts:
    """Totals over the parts of a stage file."""

    rows: int
    content_hash: str | None  # None unless requested
    report: StageReport


class StageFiles:
    """The folder of stage files: `<root>/<stage>/<input key>.parquet` with `.json` beside, and `latest.json`.

    `records` is a separate folder for the latter, for readers with their own current outputs.
    """

    def __init__(self, root: Path, records: Path | None = None) -> None:
        self.root, self._records = root, records or root
        self.checks = FileChecks(root)

    def path(self, stage: str, input_key: str) -> Path:
        """Return the path of the table of a stage file."""
        return self._path(stage, input_key, ".parquet")

    def find(self, stage: str, input_key: str) -> StageManifest | None:
        """Return the manifest of a complete stage file; None if it is missing or damaged."""
        manifest = self.manifest(self._path(stage, input_key, ".json"))
        is_whole = manifest is not None and self.checks.damage(self.path(stage, input_key), manifest.seal) is None
        return manifest if is_whole else None

    def manifest(self, path: Path) -> StageManifest | None:
        """Parse the manifest at `path`; None if it is missing, damaged or of another version of Kohaku."""
        content = _read_json(path, StageManifest)
        if content is None:
            return None
        origin = Origin(**content["origin"]) if content.get("origin") else None
        values: dict[str, Any] = {**content, "problems": tuple(content["problems"]), "origin": origin}
        return StageManifest(**values)

    def manifests(self) -> Iterator[StageManifest]:
        """Yield the manifest of every stage file, intact or not; damaged manifests are skipped."""
        paths = (path for path in sorted(self.root.glob("*/*.json")) if path.name != LATEST)
        return (manifest for path in paths if (manifest := self.manifest(path)))

    def read(self, stage: str, input_key: str) -> pa.Table:
        """Return the table of a stage file; raises StoreError if it is missing or damaged."""
        try:
            return pq.read_table(self._path(stage, input_key, ".parquet"), page_checksum_verification=True)
        except (OSError, pa.ArrowInvalid) as error:
            raise _unreadable(stage, error) from error

    def open(self, stage: str, input_key: str, columns: Sequence[str] | None = None) -> StageReader:
        """Return a reader of a stage file, over `columns`; raises StoreError if it is missing or damaged."""
        try:
            return StageReader(self._path(stage, input_key, ".parquet"), columns)
        except (OSError, pa.ArrowInvalid) as error:
            raise _unreadable(stage, error) from error

    def write(self, manifest: StageManifest, table: pa.Table) -> None:
        """Store a single table and its manifest."""
        self.write_parts(manifest.stage, manifest.input_key, [StagePart(table, StageReport(0))], lambda _: manifest)

    def write_parts(
        self,
        stage: str,
        input_key: str,
        parts: Iterable[StagePart],
        describe: Callable[[WrittenParts], StageManifest],
        *,
        hashed: bool = False,
    ) -> StageManifest:
        """Store `parts` as they arrive and then the manifest that `describe` returns, each atomically.

        A kill between the two, or an exception from `parts` or `describe`, leaves no stage file. The content hash is computed
        only if `hashed`.
        """
        described: list[StageManifest] = []

        def fill(path: Path) -> None:
            writer, reports = StageWriter(path, hashed=hashed), []
            for part in parts:
                writer.append(part)
                reports.append(part.report)
            writer.close()
            described.append(describe(WrittenParts(writer.rows, writer.content_hash, merge_reports(reports))))
            self._path(stage, input_key, ".json").unlink(missing_ok=True)  # the manifest of the file being replaced

        write_atomically(self._path(stage, input_key, ".parquet"), fill)
        return self._sealed(self.path(stage, input_key), described[0])

    def latest(self, stage: str) -> LatestRecord | None:
        """Return the record of the stage's current output; None if it was never built or the record is lost."""
        content = _read_json(self.record_path(stage), LatestRecord)
        return LatestRecord(**content) if content is not None else None

    def why_missing(self, stage: str) -> str:
        """Describe why a stage has no current output."""
        path = self.record_path(stage)
        damaged = f"damaged: {stage}/{path.name} was altered or written by another version of kohaku"
        return damaged if path.exists() else "never built"

    def record_path(self, stage: str) -> Path:
        """Return the path of the record of the stage's current output."""
        return self._records / stage / LATEST

    def set_latest(self, record: LatestRecord) -> None:
        """Make `record` the stage's current output."""
        write_sealed(self.record_path(record.stage), asdict(record), durable=record.failed_check is not None)

    def latest_table(self, stage: str) -> pa.Table:
        """Return the stage's current output; raises StoreError if it was never built."""
        return self.read(stage, self._built(stage).input_key)

    def open_latest(self, stage: str, columns: Sequence[str] | None = None) -> StageReader:
        """Return a reader of the stage's current output; raises StoreError if it was never built."""
        return self.open(stage, self._built(stage).input_key, columns)

    def is_intact(self, record: LatestRecord) -> bool:
        """Return whether the file of `record` exists and is undamaged."""
        return self.damage(record) is None

    def damage(self, record: LatestRecord) -> str | None:
        """Describe the damage of the file of `record`; None if it is intact."""
        path = self.path(record.stage, record.input_key)
        if not path.exists():
            return "its files are gone"
        manifest = self.manifest(path.with_suffix(".json"))
        if manifest is None:
            return f"damaged: the manifest of {record.stage}/{path.name} is missing or altered"
        wrong = self.checks.damage(path, manifest.seal)
        return f"damaged: {record.stage}/{path.name} {wrong}" if wrong else None

    def unused(self, keep_per_stage: int, spared: Collection[tuple[str, str]] = ()) -> Iterator[Path]:
        """Yield the files beyond the `keep_per_stage` newest of each stage, except its current output.

        `spared` are further outputs to keep, by stage and input key.
        """
        for folder in sorted(path for path in self.root.glob("*") if path.is_dir()):
            record = self.latest(folder.name)
            keys = sorted(folder.glob("*.parquet"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
            for path in keys[keep_per_stage:]:
                is_current = record is not None and path.stem == record.input_key
                if not is_current and (folder.name, path.stem) not in spared:
                    yield path
                    yield path.with_suffix(".json")

    def _built(self, stage: str) -> LatestRecord:
        record = self.latest(stage)
        if record is None:
            msg = f"{stage!r} has not been built yet; run 'kohaku refresh {stage}'"
            raise StoreError(msg)
        return record

    def _sealed(self, path: Path, manifest: StageManifest) -> StageManifest:
        """Write the manifest of the complete stage file at `path` and return it."""
        seal = seal_of(path)
        self.checks.note(path, seal)
        self.checks.save()
        sealed = replace(manifest, bytes=seal.bytes, sha256=seal.sha256)
        # Not durable: if a power cut loses it, the next run finds or rebuilds the output.
        write_sealed(path.with_suffix(".json"), asdict(sealed))
        return sealed

    def _path(self, stage: str, input_key: str, suffix: str) -> Path:
        return self.root / stage / f"{input_key}{suffix}"


def _unreadable(stage: str, error: Exception) -> StoreError:
    return StoreError(f"the stage file of {stage!r} cannot be read ({error}); run 'kohaku doctor'")


def _read_json(path: Path, kind: type[StageManifest | LatestRecord]) -> dict[str, Any] | None:
    """Return the fields of a `kind`; None if the file is missing, damaged or of another version of Kohaku."""
    content, names = read_sealed(path), {f.name for f in fields(kind)}
    is_known = content is not None and names - {"org_id", "origin"} <= content.keys() <= names
    return content if is_known else None
