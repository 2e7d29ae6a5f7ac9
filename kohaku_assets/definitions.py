"""The code location that Dagster loads: every asset, check, job, schedule and sensor of one project."""

from __future__ import annotations

import dagster as dg

from kohaku_assets.assets.alerts import build_alert_sensor
from kohaku_assets.assets.automation import build_batch_sensor, build_jobs, build_schedule, build_sensor
from kohaku_assets.assets.change_report import change_report_spec
from kohaku_assets.assets.checks import build_checks
from kohaku_assets.assets.place import Place
from kohaku_assets.assets.resources import STORE, locked_store
from kohaku_assets.assets.run_end import build_end_job, build_end_sensor
from kohaku_assets.assets.stage_assets import stage_assets
from kohaku_assets.assets.usage_assets import build_usage_schedule, usage_assets
from kohaku_assets.experiments.assets import experiment_assets
from kohaku_assets.pipeline.project import Project, Reload
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stages import STAGES
from kohaku_assets.records.dead_runs import build_dead_run_sensor
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import KohakuError
from kohaku_lib.project.keys_file import load_keys


def own_defs(project: Project, run: Run | None = None) -> dg.Definitions:
    """Return the definitions of `project`, alone in a code location, where steps share a process.

    Each Dagster run gets a new `Run` unless `run` is given.
    """
    place = Place()
    own = dg.Definitions(sensors=[build_dead_run_sensor()], executor=dg.in_process_executor)
    return dg.Definitions.merge(placed_defs(project, _reload, place, run), own)


def placed_defs(project: Project, reload: Reload, place: Place, run: Run | None = None) -> dg.Definitions:
    """Return the definitions of `project` at its place, with the code versions of its current settings and files.

    `reload` reads settings and files again, for schedules and sensors. Unreadable files (no corpus set, a missing folder) do
    not prevent loading: the assets that depend on them have the version "unknown" until the definitions are reloaded.
    """
    watch, resources = project.settings.watch, project.settings.resources
    return dg.Definitions(
        assets=[
            *stage_assets(_projected_versions(project), watch, resources, place),
            change_report_spec(place),
            *usage_assets(project, place),
            *experiment_assets(project, place),
        ],
        asset_checks=build_checks(place),
        jobs=[*build_jobs(resources, place), *([] if place.is_alone else [build_end_job(reload, place)])],
        schedules=[build_schedule(reload, place), build_usage_schedule(place)],
        sensors=[
            build_sensor(reload, place),
            build_batch_sensor(reload, place),
            build_alert_sensor(project, reload, place),
            *([] if place.is_alone else [build_end_sensor(reload, place)]),
        ],
        resources={place.name(STORE): locked_store(project, place, run)},
    )


@dg.definitions
def defs() -> dg.Definitions:
    """Load the project that kohaku.toml describes."""
    return own_defs(_reload())


def _reload() -> Project:
    project = Project(load_settings())
    load_keys(project.home)
    return project


def _projected_versions(project: Project) -> dict[str, str]:
    versions: dict[str, str] = {}
    for name in STAGES:
        try:
            versions |= project.versions([name])
        except KohakuError:
            continue
    return versions
