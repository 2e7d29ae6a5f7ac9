"""Warnings about disk space before a stage runs whose output will probably not fit."""

from __future__ import annotations

import shutil
from pathlib import Path

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stage_inputs import index_version
from kohaku_assets.pipeline.stages import STAGES, parents
from kohaku_lib.storage import StageManifest

GB = 1e9


def disk_warning(project: Project, stage: str) -> str | None:
    """Return one sentence if the output of `stage` will probably exceed the free disk or watch.store_budget_gb.

    The size is estimated from the last output, for embeddings by the number of nodes, and is at least that of the
    largest input; without a built input it is unknown.
    """
    wanted = _expected_bytes(project, stage)
    if wanted is None:
        return None
    project.store.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(project.store).free
    need = f"{stage!r} will write about {wanted / GB:.3g} GB"
    if wanted > free:
        return f"{need}, but {free / GB:.3g} GB are free for {str(project.store)!r}; free some, or run 'kohaku gc'"
    budget = project.settings.watch.store_budget_gb
    if budget is None:
        return None
    used = _folder_bytes(project.store)
    if used + wanted <= budget * GB:
        return None
    return (
        f"{need}, with which the store has {(used + wanted) / GB:.3g} GB, more than watch.store_budget_gb = {budget:g}"
    )


def _expected_bytes(project: Project, stage: str) -> float | None:
    inputs = [_manifest(project, name) for name in parents(STAGES[stage], project.settings)]
    known = [one.bytes for one in inputs if one is not None]
    if not known or len(known) < len(inputs):
        return None
    last = _manifest(project, stage)
    if stage == "vector_tables":  # a snapshot beside the table
        before = project.snapshots / index_version(last.input_key) if last else None
        return float(max(sum(known), _folder_bytes(before) if before else 0))
    nodes = _manifest(project, "tree_nodes")
    if stage.endswith("_embeddings") and nodes is not None and last is not None and last.rows:
        return last.bytes * max(1.0, nodes.rows / last.rows)
    return float(max([last.bytes if last else 0, *known]))


def _manifest(project: Project, stage: str) -> StageManifest | None:
    record = project.files.latest(stage)
    return project.files.find(stage, record.input_key) if record else None


def _folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
