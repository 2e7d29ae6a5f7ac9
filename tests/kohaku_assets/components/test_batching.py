"""Batches in the platform: a refresh that waits, the verb that goes on, and the sensor that does so in Dagster."""

import json

import dagster as dg
import pytest
from batch_api import BatchAPI
from click.testing import CliRunner
from stage_refresh import refresh_stages

from kohaku_assets.assets.automation import build_batch_sensor
from kohaku_assets.assets.place import Place
from kohaku_assets.cli import main
from kohaku_assets.components.batching import describe_open_batches, make_queue
from kohaku_assets.definitions import own_defs
from kohaku_assets.operations.batch_waiting import refresh_until_answered
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.run import Run
from kohaku_lib.composition import load_settings
from kohaku_lib.evaluation import read_rows, write_csv


def overrides(api):
    told = [
        "llm.provider=openai",
        "answer.by=model",
        "llm.batch=true",
        f"llm.base_url={api.base_url}",
        "llm.retry_base_s=0",
    ]
    return (*told, "planner.kind=rule", "release.gate=false")


def statuses(project):
    return {status.asset: status.status for status in project.statuses()}


def test_a_refresh_sends_a_batch_skips_what_reads_it_and_goes_on_when_it_is_done(fresh):
    with BatchAPI() as api:
        project = fresh(*overrides(api))
        before = project.files.latest("predictions")
        report = refresh(project)
        assert report.failure is not None
        assert "12 calls wait in 1 batch" in report.failure
        assert "predictions" not in report.outcomes
        assert project.files.latest("predictions") == before  # nothing half done takes its place
        assert statuses(project)["ensemble_votes"] == "stale"

        waiting = refresh_stages(fresh(*overrides(api)))
        assert "12 calls wait" in str(waiting.failure)
        assert len(api.batches) == 1

        api.finish()
        assert refresh_stages(fresh(*overrides(api))).failure is None
        assert set(statuses(project).values()) == {"fresh"}
        assert len(api.billed) == 12


def test_waiting_goes_on_from_batch_to_batch_until_all_is_fresh(fresh, tmp_path):
    def blank(body):
        return json.dumps({"answer_value": "is_blank", "ref_id": []})

    slept, questions = [], tmp_path / "three.csv"
    rows = read_rows(fresh().settings.corpus.questions)[:3]
    write_csv(rows, questions, list(rows[0]))
    with BatchAPI(reply=blank) as api:
        project = fresh(*overrides(api), f"corpus.questions={questions}")
        refresh_stages(project, ["predictions"])

        def sleep(seconds):
            slept.append(seconds)
            api.finish()

        report = refresh_until_answered(Run(project), 7.0, lambda looked: None, sleep)
        assert report is not None
        assert report.failure is None
        assert len(api.batches) > 1  # blank answers were asked again at the next depth
        assert slept == [7.0] * len(api.batches)
        assert set(statuses(project).values()) == {"fresh"}
        assert describe_open_batches(Run(project)) is None
        assert refresh_until_answered(Run(project), 7.0, lambda looked: None, sleep) is None


def looked(sensor, project, instance, cursor=None):
    repository = own_defs(project).get_repository_def()
    return sensor.evaluate_tick(dg.build_sensor_context(instance, cursor, repository_def=repository))


def test_the_sensor_asks_for_a_run_when_a_batch_has_ended_and_only_then(fresh):
    with BatchAPI() as api, dg.DagsterInstance.ephemeral() as instance:
        project = fresh(*overrides(api))
        sensor = build_batch_sensor(lambda: fresh_again(project), Place())
        assert looked(sensor, project, instance).skip_message == "no batch is open"
        assert api.seen == []
        refresh_stages(project, ["predictions"])
        assert "in_progress, 0 of 12" in looked(sensor, project, instance).skip_message
        api.finish()
        first = looked(sensor, project, instance)
        asked = [key.to_user_string() for key in first.run_requests[0].asset_selection]
        assert asked[0] == "predictions"
        assert "questions" not in asked
        assert "already" in looked(sensor, project, instance, first.cursor).skip_message
        api.faults = [{"route": "look", "status": 400, "message": "out of order"}]
        assert "out of order" in looked(sensor, project, instance).skip_message


def fresh_again(project):
    return type(project)(project.loaded)


def test_the_sensor_asks_again_for_a_batch_that_only_its_first_run_could_make(fresh):
    with BatchAPI([{"route": "files", "status": 400, "message": "out of order"}]) as api:
        project = fresh(*overrides(api))
        assert "out of order" in str(refresh_stages(project, ["predictions"]).failure)
        with dg.DagsterInstance.ephemeral() as instance:
            sensor = build_batch_sensor(lambda: fresh_again(project), Place())
            first = looked(sensor, project, instance)
            assert first.run_requests
            assert "12 calls wait" in str(
                refresh_stages(fresh_again(project), ["predictions"]).failure
            )  # the run that it asked for
            api.finish()
            assert looked(sensor, project, instance, first.cursor).run_requests


def test_waiting_takes_in_what_a_refresh_needs_no_more(fresh):
    looks = []

    def told(looked):
        looks.append(looked)
        assert len(looks) == 1

    def never(seconds):
        pytest.fail("the batch has ended")

    with BatchAPI() as api:
        refresh_stages(fresh(*overrides(api)), ["predictions"])
        api.finish()
        unneeded = fresh(
            *overrides(api)[2:], "llm.provider=openai", "answer.by=model", "llm.batch=false", "corpus.questions="
        )
        report = refresh_until_answered(Run(unneeded), 7.0, told, never)
        assert report is not None
        assert make_queue(Run(unneeded)).open == []
        assert len(api.billed) == 12


def test_single_calls_repeat_none_that_a_batch_has_answered_meanwhile(fresh):
    with BatchAPI() as api:
        refresh_stages(fresh(*overrides(api)), ["predictions"])
        api.finish()
        singly = fresh(*overrides(api), "llm.batch=false", "answer.max_retries=0")
        assert refresh_stages(singly, ["predictions"]).failure is None  # the server knows batches only
        assert make_queue(Run(singly)).open == []
        assert len(api.billed) == 12


def test_the_sensor_runs_from_the_start(built):
    repository = own_defs(built[0]).get_repository_def()
    assert repository.get_sensor_def("batches").default_status == dg.DefaultSensorStatus.RUNNING


def test_a_run_of_dagster_that_waits_is_no_failure(fresh):
    with BatchAPI() as api, dg.DagsterInstance.ephemeral() as instance:
        defs = own_defs(fresh(*overrides(api)))
        wanted = dg.AssetSelection.assets("predictions", "ensemble_votes")
        result = dg.materialize(list(defs.assets), resources=dict(defs.resources), selection=wanted, instance=instance)
        assert result.success
        assert result.asset_materializations_for_node("predictions") == []
        assert result.asset_materializations_for_node("ensemble_votes") == []


def invoke(project, api, *arguments):
    told = [part for override in overrides(api) for part in ("--set", override)]
    return CliRunner().invoke(main, ["batches", "--config", str(project.home / "kohaku.toml"), *told, *arguments])


def test_the_verb_lists_cancels_and_waits(fresh):
    with BatchAPI() as api:
        project = fresh(*overrides(api))
        assert "no batch has been submitted" in invoke(project, api).stderr
        refresh_stages(project, ["predictions"])
        [row] = json.loads(invoke(project, api, "--json").stdout)
        assert (row["state"], row["status"], row["requests"], row["cost_usd"]) == ("submitted", "in_progress", 12, None)
        assert "1 open batches are cancelled" in invoke(project, api, "--cancel").stderr
        api.finish("cancelled", answered=3)
        refused = invoke(project, api, "--wait", "--every", "0")
        assert refused.exit_code == 1
        assert "9 of 12 answers failed" in refused.stderr
        [row] = json.loads(invoke(project, api, "--json").stdout)
        assert (row["state"], row["replies"]) == ("closed", 3)
        assert refresh_stages(project, ["predictions"]).failure is not None
        api.finish()
        assert invoke(project, api, "--wait").exit_code == 0
        assert len(api.billed) == 12
    assert make_queue(Run(project)).open == []


def test_batches_need_a_server_that_has_them(tmp_path):
    from kohaku_lib.errors import SettingsError

    with pytest.raises(SettingsError, match=r"llm\.batch = true needs"):
        load_settings(overrides=("llm.batch=true", "llm.provider=openrouter"), environment={}, folder=tmp_path)
