"""The faults of what a project has outside of its store: its documents, the objects of its bucket, its Postgres databases."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from kohaku_assets.components.dagster_home import dagster_home, dagster_settings
from kohaku_assets.operations.doctor.quarantine import Fault, Quarantine
from kohaku_assets.pipeline.project import Project
from kohaku_lib.digests import file_sha256
from kohaku_lib.errors import InputFileError, KohakuError, StoreError
from kohaku_lib.masking import shown_url
from kohaku_lib.storage.backups.backup_manifest import BackedUpFile, Backup, backup_ids, read_backup
from kohaku_lib.storage.backups.object_store import ObjectStore
from kohaku_lib.storage.backups.restoring import damaged_objects
from kohaku_lib.storage.sharing.synced_state import read_synced

BUCKET = "bucket"  # before the paths of its files, as they are named in findings


def documents_faults(project: Project, _quarantine: Quarantine, _afresh: bool) -> Iterator[Fault]:
    """Yield the folder of documents where it is gone, as after a move of a project that names it by its whole path."""
    try:
        _ = project.user_files.files
    except InputFileError as error:
        yield Fault(project.settings.corpus.documents or project.home, str(error), lambda: None)


def bucket_faults(project: Project, _quarantine: Quarantine, afresh: bool) -> Iterator[Fault]:
    """Yield the files of the newest state in bucket.url that are missing or altered; only with `afresh`, as all are read.

    One that the store has as it was uploaded is uploaded again. A bucket that has lost all states may have been moved.
    """
    if project.settings.bucket.url is None or not afresh:
        return
    try:
        objects = ObjectStore(project.settings.bucket.url)
        ids = backup_ids(objects)
        state = read_backup(objects, ids[0]) if ids else Backup("", {})
        with tempfile.TemporaryDirectory() as folder:
            damaged = list(damaged_objects(objects, state, Path(folder)))
        if not ids and read_synced(project.store, objects.url).backup:
            wrong = f"{shown_url(objects.url)!r} holds no state any more; correct bucket.url, or 'kohaku refresh' uploads all"
            yield Fault(project.store / BUCKET, wrong, lambda: None)
    except StoreError as error:
        yield Fault(project.store / BUCKET, str(error), lambda: None)
        return
    for name in damaged:
        wrong = f"is missing or altered in {shown_url(objects.url)!r}"
        yield Fault(
            project.store / BUCKET / name, wrong, partial(_upload_again, project, objects, name, state.files[name])
        )


def database_faults(project: Project, _quarantine: Quarantine, afresh: bool) -> Iterator[Fault]:
    """Yield the Postgres databases that do not answer: that of Dagster's history, and that of the conversations."""
    is_postgres = afresh and "postgres" in (dagster_settings(project).get("storage") or {})
    if is_postgres and (wrong := _history_damage(project)):
        yield Fault(dagster_home(project) / "dagster.yaml", wrong, lambda: None)
    url = project.settings.assistant.database
    if afresh and url is not None and not url.startswith("sqlite") and (wrong := _conversations_damage(project, url)):
        yield Fault(project.store / "assistant.database", wrong, lambda: None)


def _upload_again(project: Project, objects: ObjectStore, name: str, entry: BackedUpFile) -> str | None:
    path = project.store / name
    if not path.is_file() or file_sha256(path) != entry.sha256:
        return None
    objects.put(entry.object_name, path)
    return "uploaded again"


def _history_damage(project: Project) -> str | None:
    from kohaku_assets.components.dagster_instance import dagster_instance
    from kohaku_assets.components.history_fault import history_fault

    try:
        with dagster_instance(project) as instance:
            instance.get_runs(limit=1)
    except Exception as error:
        fault = history_fault(error, os.environ["DAGSTER_HOME"])
        if fault is None:
            raise
        return fault
    return None


def _conversations_damage(project: Project, url: str) -> str | None:
    from kohaku_lib.conversation.memory.database import open_database

    try:
        open_database(project.store, url).dispose()
    except KohakuError as error:
        return str(error)
    return None
