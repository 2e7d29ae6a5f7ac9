"""The index snapshots that stages and verbs read: that of a stage, of the settings, or the published one."""

from __future__ import annotations

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stage_inputs import Inputs, index_version
from kohaku_lib.errors import StoreError
from kohaku_lib.index import Snapshot, current_version, list_snapshots, open_snapshot, pointer_damage


def open_index(project: Project, inputs: Inputs) -> Snapshot:
    """Open the snapshot that the vector_tables of a stage's inputs name."""
    return open_snapshot(project.snapshots, inputs["vector_tables"]["index_version"][0].as_py())


def open_own_index(project: Project) -> Snapshot:
    """Open the snapshot that belongs to the project's settings and files; StoreError where it is missing or stale."""
    status = project.statuses(["vector_tables"])[-1]
    record = project.files.latest("vector_tables")
    if status.status != "fresh" or record is None:
        why = "; ".join(status.causes)
        msg = f"the index of these settings is {status.status} ({why}); run 'kohaku refresh vector_tables' first"
        raise StoreError(msg)
    return open_snapshot(project.snapshots, index_version(record.input_key))


def open_published_index(project: Project) -> Snapshot:
    """Open the published snapshot, else the newest; StoreError where there is none, or its nodes are damaged."""
    while True:
        version = _published_version(project)
        try:
            return open_snapshot(project.snapshots, version)
        except StoreError:
            if _published_version(project) == version:  # else another took its place, and it may be gone
                raise


def _published_version(project: Project) -> str:
    folder = project.snapshots
    version, damage = current_version(folder), pointer_damage(folder)
    if version is not None:
        return version
    if damage is None and (project.files.latest("published_index") is not None):
        damage = f"{folder.name}/current is missing"
    if damage is not None and current_version(folder) is None:  # nobody has published meanwhile
        msg = f"which index is published is not known: {damage}; run 'kohaku doctor'"
        raise StoreError(msg)
    newest = list_snapshots(folder)
    if not newest:
        msg = f"there is no index in {str(project.store)!r} yet; run 'kohaku refresh' first"
        raise StoreError(msg)
    return newest[0].version
