"""The code location: loadable, its versions those of the settings, its schedule and sensor asking for what is stale."""

import dagster as dg
import pytest

from kohaku_assets.assets.automation import build_schedule, build_sensor
from kohaku_assets.assets.place import Place
from kohaku_assets.definitions import own_defs
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_running import run_stages
from kohaku_assets.pipeline.stages import GROUPS, STAGES
from kohaku_lib.composition import load_settings


def asset_specs(defs):
    return {spec.key.to_user_string(): spec for spec in defs.resolve_all_asset_specs()}


def test_the_definitions_load_with_every_asset_described_owned_and_grouped(built):
    defs = own_defs(built[0])
    dg.Definitions.validate_loadable(defs)
    specs = asset_specs(defs)
    for name in ("experiment_scores", "sweep_report"):
        assert specs.pop(name).group_name == "experiments"
    lineage = {
        name: specs.pop(name) for name in ("served_questions", "review_queue", "usage_report", "accepted_questions")
    }
    assert {spec.group_name for spec in lineage.values()} == {"usage"}
    assert [dep.asset_key.to_user_string() for dep in lineage["accepted_questions"].deps] == ["review_queue"]
    assert specs.pop("change_report").group_name == "evaluate"
    assert set(specs) == set(STAGES)
    for name, spec in specs.items():
        assert spec.group_name == STAGES[name].group
        accepted = {"accepted_questions"} if name == "questions" else set()
        assert {dep.asset_key.to_user_string() for dep in spec.deps} == {*STAGES[name].reads, *accepted}
        assert spec.description
        assert spec.kinds
        assert spec.owners


def test_code_versions_are_the_projected_versions(fresh):
    before, after = (asset_specs(own_defs(project)) for project in (fresh(), fresh("retrieval.top_k=3")))
    changed = [name for name in STAGES if before[name].code_version != after[name].code_version]
    assert changed[0] == "retrieved_context"
    assert "query_plans" not in changed
    assert before["tree_nodes"].code_version == fresh().versions(["tree_nodes"])["tree_nodes"]


def test_without_a_corpus_the_definitions_still_load(tmp_path):
    from kohaku_assets.pipeline.project import Project

    project = Project(load_settings(environment={}, folder=tmp_path))
    specs = asset_specs(own_defs(project))
    assert specs["source_files"].code_version == "unknown"
    assert specs["query_plans"].code_version != "unknown"


def test_there_is_a_job_per_group_and_one_over_all(built):
    repository = own_defs(built[0]).get_repository_def()
    assert {*GROUPS, "refresh"} <= {job.name for job in repository.get_all_jobs()}


def test_history_mirrors_the_store(built):
    project, report = built
    instance = dg.DagsterInstance.get()
    for name in report.outcomes:
        event = instance.get_latest_materialization_event(dg.AssetKey(name)).asset_materialization
        assert event.tags["dagster/code_version"] == project.versions([name])[name]
        assert event.tags["dagster/data_version"] == project.files.latest(name).content_hash
        assert {"dagster/row_count", "dagster/column_schema", "rows computed", "rows reused"} <= set(event.metadata)


def tick(schedule, project):
    return schedule.evaluate_tick(dg.build_schedule_context(repository_def=own_defs(project).get_repository_def()))


def test_the_schedule_asks_for_exactly_what_is_stale_and_else_skips_with_the_reason(fresh):
    assert "fresh" in tick(build_schedule(fresh, Place()), fresh()).skip_message
    [request] = tick(build_schedule(lambda: fresh("ensemble.ref_mode=union"), Place()), fresh()).run_requests
    asked = [key.to_user_string() for key in request.asset_selection]
    assert asked == ["ensemble_votes", "scores", "error_report", "submission", "published_index", "suggested_questions"]


def test_the_schedule_tells_why_nothing_can_be_done(fresh):
    broken = build_schedule(lambda: fresh("corpus.documents=nowhere"), Place())
    assert "nowhere" in tick(broken, fresh()).skip_message


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def looked(sensor, project, instance, cursor=None):
    repository = own_defs(project).get_repository_def()
    return sensor.evaluate_tick(dg.build_sensor_context(instance, cursor, repository_def=repository))


def test_the_sensor_notices_a_changed_file_once(fresh, instance):
    sensor, project = build_sensor(fresh, Place()), fresh()
    nothing = looked(sensor, project, instance).skip_message
    assert "no file" in nothing or "fresh" in nothing
    (project.settings.corpus.documents / "new.md").write_text("# New\n\nA new page about amber.\n")
    first = looked(sensor, project, instance)
    assert "source_files" in [key.to_user_string() for key in first.run_requests[0].asset_selection]
    assert "already" in looked(sensor, project, instance, first.cursor).skip_message


def ended(instance, result, status):
    """Note how the run that the sensor asked for ended."""
    [request] = result.run_requests
    instance.add_run(dg.DagsterRun("refresh", status=status, tags={"dagster/run_key": request.run_key}))
    return request


def test_the_sensor_asks_again_after_a_failed_run_but_not_for_ever(fresh, instance):
    sensor, project = build_sensor(fresh, Place()), fresh()
    (project.settings.corpus.documents / "new.md").write_text("# New\n\nAnother page about amber.\n")
    cursor, keys = None, []
    for _ in range(3):
        result = looked(sensor, project, instance, cursor)
        cursor = result.cursor
        assert "already" in looked(sensor, project, instance, cursor).skip_message
        keys.append(ended(instance, result, dg.DagsterRunStatus.FAILURE).run_key)
    assert len(set(keys)) == 3
    assert "3 runs for these changes have failed" in looked(sensor, project, instance, cursor).skip_message


def test_the_sensor_asks_for_what_a_failed_run_left_stale(fresh, instance):
    sensor, project = build_sensor(fresh, Place()), fresh()
    (project.settings.corpus.documents / "new.md").write_text("# New\n\nAnother page about amber.\n")
    first = looked(sensor, project, instance)
    run_stages(Run(fresh()), ["source_files"])
    ended(instance, first, dg.DagsterRunStatus.FAILURE)
    [request] = looked(sensor, project, instance, first.cursor).run_requests
    asked = [key.to_user_string() for key in request.asset_selection]
    assert asked[0] == "documents"
    assert "source_files" not in asked


def test_the_sensor_leaves_a_run_that_somebody_stopped(fresh, instance):
    sensor, project = build_sensor(fresh, Place()), fresh()
    (project.settings.corpus.documents / "new.md").write_text("# New\n\nAnother page about amber.\n")
    first = looked(sensor, project, instance)
    ended(instance, first, dg.DagsterRunStatus.CANCELED)
    assert "already" in looked(sensor, project, instance, first.cursor).skip_message
