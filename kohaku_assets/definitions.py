"""The code location that Dagster loads: every asset, check, job, schedule and sensor of one project."""

from __future__ import annotations

import dagster as dg

from kohaku_assets.assets.alerts import build_alert_sensor
from kohaku_assets.assets.automation import build_batch_sensor, build_jobs, build_schedule, build_sensor
from kohaku_assets.assets.change_report import change_report_spec
from kohaku_assets.assets.checks import build_checks
from kohaku_assets.assets.resources import STORE, locked_store
from kohaku_assets.assets.stage_assets import stage_assets
from kohaku_assets.assets.usage_assets import build_usage_schedule, usage_assets
from kohaku_assets.experiments.assets import experiment_assets
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stages import STAGES
from kohaku_assets.records.dead_runs import build_dead_run_sensor
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import KohakuError
from kohaku_lib.project.keys_file import load_keys


def build_defs(project: Project, run: Run | None = None) -> dg.Definitions:
    """Return the definitions of `project`, with the code versions of its current settings and files.

    Each Dagster run gets a new `Run` unless `run` is given. Unreadable files (no corpus set, a missing folder) do not
    prevent loading: the assets that depend on them have the version "unknown" until the definitions are reloaded.
    """
    return dg.Definitions(
        assets=[
            *stage_assets(_projected_versions(project), project.settings.watch, project.settings.resources),
            change_report_spec(),
            *usage_assets(project),
            *experiment_assets(project),
        ],
        asset_checks=build_checks(),
        jobs=build_jobs(project.settings.resources),
        schedules=[build_schedule(_reload), build_usage_schedule()],
        sensors=[
            build_sensor(_reload),
            build_batch_sensor(_reload),
            build_dead_run_sensor(),
            build_alert_sensor(_reload),
        ],
        resources={STORE: locked_store(project, run)},
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """Load the project that kohaku.toml describes."""
    return build_defs(_reload())


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
