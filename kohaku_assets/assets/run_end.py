"""What ends a run: the tables for SQL, the state in the history, what changed, and the backup."""

# Without `from __future__ import annotations`: Dagster reads the type of `context`.
import dagster as dg

from kohaku_assets.assets.change_report import publish_change_report
from kohaku_assets.assets.place import Place
from kohaku_assets.assets.warnings import publication_result
from kohaku_assets.pipeline.project import Project, Reload
from kohaku_assets.pipeline.run import Run
from kohaku_assets.records.backups import backup_after_run
from kohaku_assets.records.change_reports import report_changes
from kohaku_assets.records.project_lock import project_lock
from kohaku_assets.records.publication import pin_notice
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_assets.records.state_history import newest_state, record_state
from kohaku_assets.records.unfinished_run import end_run, unfinished_run
from kohaku_lib.errors import KohakuError, StoreError

END = "end_of_run"
NEWEST = "the newest index is published"  # the cursor of the sensor; else the notice of the pin


def finish_run(run: Run, instance: dg.DagsterInstance | None, place: Place) -> None:
    """Deal with the end of `run`, whose store is locked, and report to `instance` what it changed."""
    project, before = run.project, newest_state(run.project)
    write_sql_views(project)
    state = record_state(project)
    end_run(run)
    if not run.outcomes and (
        place.is_alone or state == before
    ):  # what steps of other processes did is in the state alone
        return
    run.changes = report_changes(project, before)
    if instance is not None and run.dagster_id is not None:
        publish_change_report(instance, run.dagster_id, run.changes, place)
    run.backup = backup_after_run(project)


def finish_ended_run(project: Project, instance: dg.DagsterInstance, place: Place, current: str | None = None) -> None:
    """Deal with the end of the run that the store of `project`, which is locked, is marked with, unless it is `current`.

    Raises:
        StoreError: It goes on, though none of its steps holds the store at this moment.
    """
    found = unfinished_run(project)
    if found is None or found.run_id is None or found.run_id == current:
        return
    run = instance.get_run_by_id(found.run_id)
    if run is not None and not run.is_finished:
        msg = (
            f"run {found.run_id} writes to the store {str(project.store)!r}; wait until it ends, or mark it as failed "
            "where its process is gone"
        )
        raise StoreError(msg)
    finish_run(Run(project, dagster_id=found.run_id, unchecked=set(found.unchecked)), instance, place)


def build_end_job(reload: Reload, place: Place) -> dg.JobDefinition:
    """Return the job that deals with the end of the last run of a project; it does nothing where that was done."""

    @dg.op(
        name=place.name("deal_with_end"), description="Write what ends a run: tables for SQL, state, changes, backup."
    )
    def end(context: dg.OpExecutionContext) -> None:
        project = reload()
        with project_lock(project):
            finish_ended_run(project, context.instance, place)

    @dg.job(name=place.name(END), description="What ends a run, once.")
    def job() -> None:
        end()

    return job


def build_end_sensor(reload: Reload, place: Place) -> dg.SensorDefinition:
    """Return the sensor that requests that job once the run that the store is marked with has ended.

    It also reports to Dagster whether the newest index is published, once that has changed by the command line.
    """

    @dg.sensor(
        name=place.name("ended_runs"),
        job_name=place.name(END),
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.RUNNING,
    )
    def ended_runs(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        try:
            project = reload()
            _report_publication(context, project, place)
            found = unfinished_run(project)
        except KohakuError as error:
            return dg.SkipReason(str(error))
        if found is None or found.run_id is None:
            return dg.SkipReason("no run has ended since the last one that was dealt with")
        run = context.instance.get_run_by_id(found.run_id)
        if run is not None and not run.is_finished:
            return dg.SkipReason(f"run {found.run_id} goes on")
        return dg.RunRequest(run_key=found.run_id)

    return ended_runs


def _report_publication(context: dg.SensorEvaluationContext, project: Project, place: Place) -> None:
    notice = pin_notice(project) or NEWEST
    if notice == (context.cursor or NEWEST):
        return
    check = dg.AssetCheckEvaluation(asset_key=place.key("published_index"), **publication_result(project))
    context.instance.report_runless_asset_event(check)
    context.update_cursor(notice)
