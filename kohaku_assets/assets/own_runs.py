"""Which runs of a Dagster instance are those of a project."""

from __future__ import annotations

import dagster as dg

from kohaku_assets.assets.automation import JOBS
from kohaku_assets.assets.place import Place
from kohaku_assets.assets.run_end import END
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.dead_runs import STORE_TAG, run_tags


def is_own_run(run: dg.DagsterRun, project: Project, place: Place) -> bool:
    """Return whether a run is one of a project: by the store that it has locked, before that by its job or assets.

    Alone in its code location, a project has all runs that have locked no other store.
    """
    store = run.tags.get(STORE_TAG)
    if store is not None:
        return store == run_tags(project.store)[STORE_TAG]
    if place.is_alone:
        return True
    own = {place.key(asset) for assets in JOBS.values() for asset in assets}
    return run.job_name in map(place.name, (*JOBS, END)) or not own.isdisjoint(run.asset_selection or ())
