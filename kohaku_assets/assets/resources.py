"""The Dagster resource of all assets and checks: a run over the project's store, which is locked meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.records.dead_runs import run_tags
from kohaku_assets.records.state_history import record_state
from kohaku_assets.records.unfinished_run import begin_run, end_run
from kohaku_lib.storage import store_lock

STORE = "store"


def locked_store(project: Project, run: Run | None = None) -> dg.ResourceDefinition:
    """Return the resource that holds the store's lock from the first step of a Dagster run to its end.

    It gives `run`, by default a new one, to the assets and checks. Without the lock another run could slip in between
    two steps. At the end kohaku.duckdb is written anew, and the present outputs become a state of the project's
    history; a kill before leaves that to the next run.
    """

    @dg.resource(description="The store of the project, locked while a run lasts.")
    def store(context: dg.InitResourceContext) -> Iterator[Run]:
        own = run or Run(project)
        with store_lock(project.store):
            if context.instance is not None and context.run is not None:
                context.instance.add_run_tags(context.run.run_id, run_tags(project.store))
            begin_run(own)
            yield own
            project.write_views()
            record_state(project)
            end_run(own)

    return store
