"""Rewrites kohaku.duckdb, in which everything in the store can be asked in SQL."""

from __future__ import annotations

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stages import STAGES
from kohaku_assets.records.lineage import answer_files
from kohaku_lib.storage import write_views


def write_sql_views(project: Project) -> None:
    """Rewrite kohaku.duckdb: views over the current output of every stage, the ledger, the published index and all answers.

    All views except the ledger are restricted to the rows of the project's organisation.
    """
    from kohaku_lib.index import current_version, snapshot_damage

    version = current_version(project.snapshots)
    if version and "index.duckdb" in snapshot_damage(project.snapshots / version):
        version = None
    latest = [record for name in STAGES if (record := project.present(name)) and project.files.is_intact(record)]
    write_views(
        project.paths.views,
        {record.stage: project.files.path(record.stage, record.input_key) for record in latest},
        project.paths.llm_calls,
        project.snapshots / version / "index.duckdb" if version else None,
        project.settings.corpus.org_id,
        project.experiments,
        answer_files(project),
    )
