"""A project: its settings, its store, and the status of its assets. Imports no Dagster."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from kohaku_assets.pipeline.companion_files import companion_damage
from kohaku_assets.pipeline.stage_inputs import index_version
from kohaku_assets.pipeline.staleness import AssetStatus, asset_statuses, projected_versions
from kohaku_assets.pipeline.user_files import UserFiles
from kohaku_lib.digests import text_sha256
from kohaku_lib.errors import InputFileError, KohakuError, StoreError
from kohaku_lib.storage import Compaction, LatestRecord, StageFiles, StorePaths, compact, read_sealed
from kohaku_lib.storage.interrupted_restore import put_back

if TYPE_CHECKING:
    from kohaku_lib.composition import LoadedSettings
    from kohaku_lib.documents.corpus.files import KnownFile
    from kohaku_lib.documents.corpus.removals import Removals
    from kohaku_lib.settings import Settings


@dataclass(frozen=True, eq=False)
class Project:
    """The settings and the store of one project.

    `records` is the folder where an experiment stores which outputs are its current ones. With `rehash`, all user files
    are read even if their size and times are unchanged. With `known_only` no file is parsed to tell what is attached to it.
    With `accept_missing` what is away as a whole is deleted, whatever corpus.missing_roots says.
    """

    loaded: LoadedSettings
    records: Path | None = None
    rehash: bool = False
    known_only: bool = False
    accept_missing: bool = False

    def __post_init__(self) -> None:
        """Put the store back if a restore that was killed had moved it away."""
        put_back(self.store)

    @property
    def settings(self) -> Settings:
        """The resolved settings."""
        return self.loaded.settings

    @property
    def store(self) -> Path:
        """The folder of all computed files."""
        return self.loaded.settings.store

    @cached_property
    def files(self) -> StageFiles:
        """The stage files of the store, and the records of the current ones."""
        return StageFiles(self.paths.stages, self.records)

    @property
    def home(self) -> Path:
        """The project folder: that of kohaku.toml, else the working directory."""
        return self.loaded.home

    @cached_property
    def paths(self) -> StorePaths:
        """Where the parts of the store lie."""
        return StorePaths(self.store)

    @property
    def snapshots(self) -> Path:
        """The folder of index snapshots."""
        return self.paths.snapshots

    @property
    def experiments(self) -> Path:
        """The folder of this tenant's experiments, a folder each."""
        return self.paths.experiments / text_sha256(self.settings.corpus.org_id)[:12]

    @property
    def submission(self) -> Path:
        """The CSV file of the current answers."""
        return self.paths.submission

    def with_settings(self, settings: Settings) -> Project:
        """Return a project over the same store with other settings."""
        return Project(replace(self.loaded, settings=settings))

    def with_runs(self, runs: int) -> Project:
        """Return this project with another number of ensemble runs."""
        ensemble = self.settings.ensemble.model_copy(update={"runs": runs})
        return self.with_settings(self.settings.model_copy(update={"ensemble": ensemble}))

    def has_snapshot(self, input_key: str) -> bool:
        """Return whether the index snapshot for an input key of vector_tables exists and is intact."""
        from kohaku_lib.index import snapshot_damage

        return not snapshot_damage(self.snapshots / index_version(input_key))

    def prune_snapshots(self) -> list[str]:
        """Delete index versions beyond snapshots.keep, but never the current one of vector_tables."""
        from kohaku_lib.index import prune

        record = self.files.latest("vector_tables")
        present = [index_version(record.input_key)] if record else []
        return prune(self.snapshots, self.settings.snapshots.keep, present)

    def damage(self, record: LatestRecord) -> str | None:
        """Return a description of the damage to the stage file or companion files of `record`; None if intact."""
        return self.files.damage(record) or companion_damage(self.store, self.files, record)

    def statuses(self, names: Sequence[str] | None = None) -> list[AssetStatus]:
        """Return the status of `names` (all by default) and their ancestors."""
        try:
            return asset_statuses(self.settings, self.user_files.digests, self.files, self.damage, names)
        finally:
            self.user_files.save()

    def versions(self, names: Sequence[str]) -> dict[str, str]:
        """Return the projected versions of `names` and their ancestors."""
        return projected_versions(self.settings, self.user_files.digests, names)

    def present(self, name: str) -> LatestRecord | None:
        """Return the record of a stage's current output; None if there is none or it belongs to another tenant.

        An output of another tenant is accepted if this tenant's settings and files produce the same version.
        """
        record = self.files.latest(name)
        if record is None or record.org_id in (None, self.settings.corpus.org_id):
            return record
        try:
            return record if record.version == replace(self, known_only=True).versions([name]).get(name) else None
        except KohakuError:  # files that cannot be read
            return None

    def present_table(self, name: str) -> pa.Table:
        """Return the current output of a stage.

        Raises:
            StoreError: There is none, or it belongs to another tenant.
        """
        record = self.present(name)
        if record is None:
            whose = (
                "has not been built" if self.files.latest(name) is None else "belongs to another tenant in this store"
            )
            msg = f"{name!r} {whose}; run 'kohaku refresh {name}'"
            raise StoreError(msg)
        return self.files.read(name, record.input_key)

    def reject(self, stage: str, sentence: str) -> None:
        """Record that a blocking check failed on the stage's current output, which makes it stale."""
        record = self.files.latest(stage)
        if record is not None:
            self.files.set_latest(replace(record, failed_check=sentence))

    def compact_caches(self) -> Compaction:
        """Merge the small part files of every row cache; the caller holds the store lock."""
        compactions = [compact(folder) for folder in self.paths.cache_folders()]
        sums = (sum(getattr(one, name) for one in compactions) for name in Compaction.__dataclass_fields__)
        return Compaction(*sums)

    @cached_property
    def user_files(self) -> UserFiles:
        """The files named by the settings."""
        removals = self.removals if self.settings.corpus.documents else None
        return UserFiles(
            self.settings.corpus,
            self.paths.cache,
            rehash=self.rehash,
            known_only=self.known_only,
            removals=removals,
            documents=self.settings.documents,
            before=self._files_before,
        )

    @property
    def documents_place(self) -> str | None:
        """The folder of documents relative to the store, with which it may be moved; None if there is none."""
        documents = self.settings.corpus.documents
        return None if documents is None else os.path.relpath(documents, self.store)

    def note_documents_place(self) -> None:
        """Note that the stored list of files is one of the present folder, if it is."""
        record = self.files.latest("source_files")
        if (
            record
            and record.place != self.documents_place
            and record.files == self.user_files.digests["source_files"]()
        ):
            self.files.set_latest(replace(record, place=self.documents_place))

    def _files_before(self) -> Mapping[str, KnownFile | None]:
        """Return the files of the present folder that were listed last, None for those being erased; none if none is to stay."""
        corpus = self.settings.corpus
        if corpus.documents is None or corpus.missing_roots == "delete" or self.accept_missing:
            return {}
        from kohaku_lib.documents.corpus.missing_roots import KNOWN, known_files

        for files in (StageFiles(self.paths.stages), self.files):  # of the project, else of the experiment
            record = files.latest("source_files")
            if record is not None and record.place == self.documents_place and files.is_intact(record):
                known = known_files(files.open("source_files", record.input_key, KNOWN).table())
                erased = {
                    path for one in self.paths.erasing.glob("*.json") for path in (read_sealed(one) or {})["paths"]
                }
                return {path: None if path in erased else one for path, one in known.items()}
        return {}

    def _file_sha256(self, path: Path) -> str:
        return self.user_files.sha256(path)

    @property
    def removals(self) -> Removals:
        """The uploads, the trash and what is left out of the documents folder; raises InputFileError if there is none."""
        if self.settings.corpus.documents is None:
            msg = (
                "corpus.documents is not set, so there is no document to leave out or to restore; set it in kohaku.toml"
            )
            raise InputFileError(msg)
        from kohaku_lib.documents.corpus.removals import Removals

        return Removals(self.store, self.settings.corpus.documents, self._file_sha256)


Reload = Callable[[], Project]  # reads settings and files again
