"""The Dagster resource of all assets and checks: a run over the project's store, locked for its duration."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import dagster as dg

from kohaku_assets.assets.place import Place
from kohaku_assets.assets.run_end import finish_ended_run, finish_run
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.records.dead_runs import run_tags
from kohaku_assets.records.project_lock import project_lock
from kohaku_assets.records.unfinished_run import begin_run, keep_run, unfinished_run

STORE = "store"
_BEGIN_S = 5.0  # until the first of several steps that begin together has marked the store


def locked_store(project: Project, place: Place, run: Run | None = None) -> dg.ResourceDefinition:
    """Return the resource that holds the store lock from the first step of a process to its end.

    It provides `run`, by default a new one, to the assets and checks. Alone, that is from the first step of a Dagster run to
    its end, which is dealt with then (after a kill the next run does it). In another deployment each step may be a process:
    steps of one run wait for each other, those of other runs are refused until it has ended, and a job of its own, or
    the next run, deals with the end.
    """

    @dg.resource(description="The store of the project, locked for the duration of a run.")
    def store(context: dg.InitResourceContext) -> Iterator[Run]:
        own = run or Run(replace(project))  # which forgets the files that it saw when it was loaded
        own.dagster_id = context.run.run_id if context.run is not None else None
        waits = (lambda: False) if place.is_alone else _steps_of(own)
        with project_lock(project, waits):
            if context.instance is not None and context.run is not None:
                if not place.is_alone:
                    finish_ended_run(own.project, context.instance, place, own.dagster_id)
                context.instance.add_run_tags(context.run.run_id, run_tags(project.store))
            begin_run(own)
            yield own
            if place.is_alone:
                finish_run(own, context.instance, place)
            else:
                keep_run(own)

    return store


def step_pool(place: Place) -> str | None:
    """Return the pool of the steps of a project, so that a deployment can have them wait without a process; None alone."""
    return None if place.is_alone else place.name(STORE)


def _steps_of(run: Run) -> Callable[[], bool]:
    """Return the function that tells whether the process that holds the store is, or may be, another step of `run`."""
    begun = time.monotonic()

    def waits() -> bool:
        found = unfinished_run(run.project)
        is_own = found is not None and found.run_id == run.dagster_id is not None
        return is_own or time.monotonic() - begun < _BEGIN_S

    return waits
