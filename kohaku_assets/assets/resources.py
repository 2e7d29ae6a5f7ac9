"""The Dagster resource of all assets and checks: a run over the project's store, locked for its duration."""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg

from kohaku_assets.assets.change_report import publish_change_report
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.records.backups import backup_after_run
from kohaku_assets.records.change_reports import report_changes
from kohaku_assets.records.dead_runs import run_tags
from kohaku_assets.records.project_lock import project_lock
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_assets.records.state_history import newest_state, record_state
from kohaku_assets.records.unfinished_run import begin_run, end_run

STORE = "store"


def locked_store(project: Project, run: Run | None = None) -> dg.ResourceDefinition:
    """Return the resource that holds the store lock from the first step of a Dagster run to its end.

    It provides `run`, by default a new one, to the assets and checks. Without the lock another run could start between
    two steps. At the end kohaku.duckdb is rewritten, the current outputs are recorded as a state of the project's
    history (after a kill the next run does both), and the changes since the state before are reported.
    """

    @dg.resource(description="The store of the project, locked for the duration of a run.")
    def store(context: dg.InitResourceContext) -> Iterator[Run]:
        own = run or Run(project)
        own.dagster_id = context.run.run_id if context.run is not None else None
        with project_lock(project):
            if context.instance is not None and context.run is not None:
                context.instance.add_run_tags(context.run.run_id, run_tags(project.store))
            before = newest_state(project)
            begin_run(own)
            yield own
            write_sql_views(project)
            record_state(project)
            end_run(own)
            if own.outcomes:
                own.changes = report_changes(project, before)
                publish_change_report(context, own.changes)
                own.backup = backup_after_run(project)

    return store
