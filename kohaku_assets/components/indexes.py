"""Opens the index snapshot of a stage's inputs, or of the project's settings."""

from __future__ import annotations

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stage_inputs import Inputs, index_version
from kohaku_lib.errors import StoreError
from kohaku_lib.index import Snapshot, open_snapshot


def open_index(project: Project, inputs: Inputs) -> Snapshot:
    """Open the snapshot named by the vector_tables of a stage's inputs."""
    return open_snapshot(project.snapshots, inputs["vector_tables"]["index_version"][0].as_py())


def open_own_index(project: Project) -> Snapshot:
    """Open the snapshot for the project's current settings and files.

    Raises:
        StoreError: The snapshot is missing or stale.
    """
    status = project.statuses(["vector_tables"])[-1]
    record = project.files.latest("vector_tables")
    if status.status != "fresh" or record is None:
        why = "; ".join(status.causes)
        msg = f"the index of these settings is {status.status} ({why}); run 'kohaku refresh vector_tables' first"
        raise StoreError(msg)
    return open_snapshot(project.snapshots, index_version(record.input_key))
