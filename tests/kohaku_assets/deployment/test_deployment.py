"""Two projects within a deployment that has assets of its own: the repository under examples/deployment."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest
from page_blocks import blocks_run_by

from kohaku_assets import build_defs
from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.operations.publishing import change_publication
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stages import STAGES
from kohaku_lib.composition import load_settings
from kohaku_lib.index import current_version, pin, unpin

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "deployment"
# Dagster copies the checks of components by a parameter of its own that is in beta.
pytestmark = pytest.mark.filterwarnings("ignore:Parameter `execution_type`")
DG = Path(sys.executable).with_name("dg")


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A copy of the example, imported, with the definitions that it loads."""
    folder = shutil.copytree(EXAMPLE, tmp_path / "shop", ignore=shutil.ignore_patterns("store", "__pycache__"))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster_home"))
    (tmp_path / "dagster_home").mkdir()
    (tmp_path / "dagster_home" / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    yield folder
    for name in [name for name in sys.modules if name.split(".")[0] == "shop"]:
        del sys.modules[name]


def loaded():
    return importlib.import_module("shop.definitions").defs()


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def run(defs, job, instance):
    result = defs.resolve_job_def(job).execute_in_process(instance=instance, raise_on_error=False)
    assert result.success, [event.message for event in result.all_events if event.is_failure]
    return result


def project_of(shop, name):
    return Project(load_settings(environment={}, folder=shop / name))


def tick(defs, name, instance, cursor=None):
    repository = defs.get_repository_def()
    if repository.has_schedule_def(name):
        context = dg.build_schedule_context(instance, repository_def=repository)
        return repository.get_schedule_def(name).evaluate_tick(context)
    context = dg.build_sensor_context(instance, cursor, repository_def=repository)
    return repository.get_sensor_def(name).evaluate_tick(context)


def test_two_projects_stand_beside_assets_of_the_deployment_under_names_of_their_own(shop):
    defs = loaded()
    dg.Definitions.validate_loadable(defs)
    repository = defs.get_repository_def()
    specs = {spec.key.to_user_string(): spec for spec in defs.resolve_all_asset_specs()}
    own = {f"{project}/{name}" for project in ("handbook", "prices") for name in STAGES}
    assert own < set(specs)
    assert {"handbook_export", "opening_hours"} < set(specs)
    assert [dep.asset_key.to_user_string() for dep in specs["handbook/source_files"].deps] == ["handbook_export"]
    assert [*specs["prices/source_files"].deps] == []
    assert specs["prices/scores"].group_name == "prices_evaluate"
    jobs, names = {job.name for job in repository.get_all_jobs()}, [one.name for one in repository.sensor_defs]
    assert {"handbook_refresh", "prices_refresh", "handbook_end_of_run", "prices_usage"} <= jobs
    assert {"handbook_ended_runs", "prices_ended_runs", "prices_alerts", "handbook_source_folder"} <= set(names)
    assert {one.name for one in repository.schedule_defs} == {
        f"{project}_{name}" for project in ("handbook", "prices") for name in ("nightly", "nightly_usage")
    }
    assert not any("dead_runs" in name for name in names)  # the deployment watches its runs
    assert defs.executor is None


def test_one_project_is_fed_refreshed_and_asked_while_the_other_stays_stale(shop, instance):
    defs = loaded()
    asset = defs.resolve_assets_def
    dg.materialize([asset(dg.AssetKey("handbook_export"))], instance=instance)
    result = run(defs, "handbook_refresh", instance)
    handbook, prices = project_of(shop, "handbook"), project_of(shop, "prices")
    assert not handbook.paths.history.exists()  # the steps may be processes: a job of its own ends the run
    [request] = tick(defs, "handbook_ended_runs", instance).run_requests
    assert request.run_key == result.run_id
    run(defs, "handbook_end_of_run", instance)
    assert handbook.paths.views.exists()
    assert len(list(handbook.paths.history.glob("*.json"))) == 1
    event = instance.get_latest_materialization_event(dg.AssetKey(["handbook", "change_report"]))
    assert event.asset_materialization.metadata["run"].value == result.run_id
    assert "no run has ended" in tick(defs, "handbook_ended_runs", instance).skip_message
    told_of_the_pin(defs, handbook, instance)
    found = tick(defs, "handbook_nightly", instance)
    assert "fresh" in (found.skip_message or ""), found.run_requests
    [request] = tick(defs, "prices_nightly", instance).run_requests
    assert {key.path[0] for key in request.asset_selection} == {"prices"}
    assert {status.status for status in prices.statuses()} == {"missing"}
    asked = asset(dg.AssetKey("opening_hours"))
    found = dg.materialize([asked], instance=instance, selection=[asked])
    [told] = found.asset_materializations_for_node("opening_hours")
    assert "8:30" in told.metadata["answer"].value


def told_of_the_pin(defs, project, instance):
    """The sensor reports at the project's key, once each, that the index was pinned and that the pin was lifted."""
    event = instance.get_latest_materialization_event(dg.AssetKey(["handbook", "published_index"]))
    assert event.asset_materialization.metadata["published version"].value == current_version(project.snapshots)
    key = dg.AssetCheckKey(dg.AssetKey(["handbook", "published_index"]), "newest_is_published")

    def results(cursor):
        cursor = tick(defs, "handbook_ended_runs", instance, cursor).cursor
        records = instance.event_log_storage.get_asset_check_execution_history(key, limit=10)
        found = [record.event.dagster_event.asset_check_evaluation_data.passed for record in records]
        return cursor, found

    cursor, found = results(None)
    assert found == [True]
    pin(project.snapshots)
    cursor, found = results(cursor)
    assert found == [False, True]
    assert results(cursor) == (cursor, found)
    unpin(project.snapshots)
    assert results(cursor)[1] == [True, False, True]
    change_publication(project, current_version(project.snapshots))
    with dagster_instance(project) as own:  # the command line, which does not know the key, reports nothing
        assert not own.event_log_storage.get_asset_check_execution_history(
            dg.AssetCheckKey(dg.AssetKey("published_index"), "newest_is_published"), limit=1
        )


def test_a_run_is_refused_while_another_one_goes_on_and_deals_with_its_end_afterwards(shop, instance):
    defs = build_defs(shop / "prices", key_prefix=["team", "prices"])
    project = project_of(shop, "prices")
    other = dg.DagsterRun("team_prices_refresh", status=dg.DagsterRunStatus.STARTED)
    instance.add_run(other)
    project.store.mkdir()
    project.paths.unfinished.write_text(json.dumps({"run": other.run_id, "unchecked": []}))
    job = defs.resolve_job_def("team_prices_refresh")
    failed = job.execute_in_process(instance=instance, raise_on_error=False)
    [event] = [event for event in failed.all_events if event.is_step_failure][:1] or [failed.all_events[-1]]
    assert f"run {other.run_id} writes to the store" in str(event)
    assert "goes on" in tick(defs, "team_prices_ended_runs", instance).skip_message
    ended = defs.resolve_job_def("team_prices_end_of_run")
    assert not ended.execute_in_process(instance=instance, raise_on_error=False).success
    assert json.loads(project.paths.unfinished.read_text())["run"] == other.run_id
    instance.report_run_failed(other)
    run(defs, "team_prices_refresh", instance)
    assert json.loads(project.paths.unfinished.read_text())["run"] != other.run_id


def called(*arguments, folder):
    command = [str(DG), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def environment(folder):
    return os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "200"}


def test_dg_lists_the_component_writes_one_with_its_project_and_checks_it(shop):
    assert "kohaku_assets.KohakuProject" in called("list", "components", folder=shop)
    called("scaffold", "defs", "kohaku_assets.KohakuProject", "minutes", folder=shop)
    made = shop / "shop" / "defs" / "minutes"
    assert {path.name for path in made.iterdir()} == {"defs.yaml", "kohaku.toml", "data", ".gitignore"}
    assert "validated successfully" in called("check", "yaml", folder=shop)
    names = {one.name for one in loaded().get_repository_def().get_all_jobs()}
    assert "minutes_refresh" in names


def test_the_page_on_deployments_shows_the_repository():
    files = {path.read_text("utf-8") for path in EXAMPLE.rglob("*") if path.suffix in (".py", ".yaml")}
    shown = blocks_run_by("test_the_page_on_deployments_shows_the_repository")
    assert [block.name for block in shown if block.language in ("yaml", "python") and block.text not in files] == []
    [commands] = [block.commands for block in shown if block.language == "bash"]
    readme = (EXAMPLE / "README.md").read_text("utf-8")
    assert [one for one in commands if one not in readme] == [
        "dg scaffold defs kohaku_assets.KohakuProject handbook --project handbook"
    ]


@pytest.mark.slow
def test_steps_that_are_processes_of_their_own_build_the_projects(shop):
    called("launch", "--assets", 'key:"handbook_export"', folder=shop)
    for name in ("handbook", "prices"):
        called("launch", "--job", f"{name}_refresh", folder=shop)
        called("launch", "--job", f"{name}_end_of_run", folder=shop)
        project = project_of(shop, name)
        assert {status.status for status in project.statuses()} == {"fresh"}
        assert not project.paths.unfinished.exists()
    assert "RUN_SUCCESS" in called("launch", "--assets", 'key:"opening_hours"', folder=shop)
