"""Alerts arrive at a webhook: failed runs, failed checks, assets that stay out of date."""

import json
from http.server import BaseHTTPRequestHandler

import dagster as dg
import pytest
from dagster._core.events import EngineEventData
from dagster._utils.error import SerializableErrorInfo

from kohaku_assets.assets.alerts import build_alert_sensor
from kohaku_assets.assets.place import Place
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings
from kohaku_lib.testing.joined_server import JoinedServer

HOUR = 3600.0


@pytest.fixture
def webhook(monkeypatch):
    """A server on the loopback: the bodies it received, and the status it answers with."""
    received, status = [], [200]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status[0])
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *line):
            """Keep the output of tests clean."""

    with JoinedServer(Handler) as server:
        monkeypatch.setenv("KOHAKU_ALERT_WEBHOOK", f"http://127.0.0.1:{server.server_port}/hook")
        yield received, status


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@dg.asset
def scores():
    msg = "the disk is on fire"
    raise OSError(msg)


@dg.asset(check_specs=[dg.AssetCheckSpec("few_documents_failed", asset="documents")])
def documents():
    return dg.MaterializeResult(
        check_results=[
            dg.AssetCheckResult(
                passed=False,
                check_name="few_documents_failed",
                severity=dg.AssetCheckSeverity.WARN,
                description="0.5 is",
            )
        ]
    )


def project(tmp_path, *overrides):
    (tmp_path / "kohaku.toml").touch()
    return Project(load_settings(environment={}, folder=tmp_path, overrides=overrides))


def ticker(instance, tmp_path, *overrides):
    """Return a function that runs one tick at a time in seconds, and keeps the cursor."""
    clock, cursor = [0.0], [None]
    loaded = project(tmp_path, *overrides)
    sensor = build_alert_sensor(loaded, lambda: project(tmp_path, *overrides), Place(), lambda: clock[0])
    repository = dg.Definitions([scores]).get_repository_def()

    def tick(now):
        clock[0] = now
        context = dg.build_sensor_context(instance, cursor[0], repository_def=repository)
        result = sensor.evaluate_tick(context)
        cursor[0] = result.cursor or cursor[0]
        return result.skip_message

    return tick


def test_failed_runs_and_checks_arrive_once_in_the_form_of_slack(instance, tmp_path, webhook):
    tick, (received, status) = ticker(instance, tmp_path), webhook
    assert tick(0.0) == "nothing to report"
    dg.materialize([documents], instance=instance)
    dg.materialize([scores], instance=instance, raise_on_error=False)
    status[0] = 503
    assert "answered 503; they are posted again later" in tick(1.0)
    status[0] = 200
    assert tick(2.0) == "posted 2 alerts"
    first, again = received
    assert first == again
    assert set(again) == {"text"}
    name, check, run = again["text"].split("\n")
    assert name == tmp_path.name
    assert check == "• failed check: check few_documents_failed of documents failed: 0.5 is"
    assert run.startswith("• failed run: run ")
    assert run.endswith(" failed: scores: OSError: the disk is on fire")
    assert tick(3.0) == "nothing to report"


def test_the_runs_of_another_project_and_of_the_deployment_are_left_to_them(instance, tmp_path, webhook):
    place = Place(("prices",), is_alone=False)
    unloadable = SerializableErrorInfo(
        "kohaku_lib.errors.SettingsError: the setting x is unknown\n", [], "SettingsError"
    )
    for job in ("prices_refresh", "handbook_refresh", "nightly_export"):
        created = dg.DagsterRun(job)
        instance.add_run(created)
        instance.report_engine_event("Could not load job definition.", created, EngineEventData(error=unloadable))
        instance.report_run_failed(created)
    sensor = build_alert_sensor(project(tmp_path), lambda: project(tmp_path), place, lambda: 0.0)
    assert sensor.evaluate_tick(dg.build_sensor_context(instance)).skip_message == "posted 1 alerts"
    assert webhook[0][0]["text"].endswith("of prices_refresh failed: the setting x is unknown")


def test_a_failed_blocking_check_is_named_without_the_class_of_the_error(instance, tmp_path, webhook):
    @dg.asset_check(asset=documents, blocking=True)
    def not_empty():
        return dg.AssetCheckResult(passed=False)

    tick = ticker(instance, tmp_path)
    tick(0.0)
    job = dg.Definitions([documents], asset_checks=[not_empty]).resolve_implicit_global_asset_job_def()
    job.execute_in_process(instance=instance, raise_on_error=False)
    tick(1.0)
    [run] = [line for line in webhook[0][0]["text"].split("\n") if "failed run" in line]
    assert run.endswith(" failed: documents_not_empty: a blocking check failed: documents: not_empty")


def test_an_index_that_stays_out_of_date_is_told_once(instance, tmp_path, webhook):
    received, _ = webhook
    (tmp_path / "documents").mkdir()
    overrides = ("watch.webhook_format=json", f"corpus.documents={tmp_path / 'documents'}")
    tick = ticker(instance, tmp_path, *overrides)
    assert [tick(hours * HOUR) for hours in (0, 35, 36, 37)] == [
        "nothing to report",
        "nothing to report",
        "posted 1 alerts",
        "nothing to report",
    ]
    [message] = received
    assert message["project"] == tmp_path.name
    [alert] = message["alerts"]
    assert alert["kind"] == "stale index"
    assert alert["text"].startswith("out of date for 36 hours: source_files, documents, ")
    assert alert["text"].endswith("; run 'kohaku refresh'")


def test_without_an_address_or_a_server_the_tick_says_so(instance, tmp_path, monkeypatch):
    monkeypatch.delenv("KOHAKU_ALERT_WEBHOOK", raising=False)
    assert "KOHAKU_ALERT_WEBHOOK is not set" in ticker(instance, tmp_path)(0.0)
    monkeypatch.setenv("KOHAKU_ALERT_WEBHOOK", "http://127.0.0.1:1/hook")
    tick = ticker(instance, tmp_path)
    assert tick(0.0) == "nothing to report"
    dg.materialize([scores], instance=instance, raise_on_error=False)
    assert "cannot be reached (ConnectError)" in tick(1.0)


def test_a_failed_run_is_posted_while_the_settings_cannot_be_read(instance, tmp_path, webhook):
    tick = ticker(instance, tmp_path)
    tick(0.0)
    (tmp_path / "kohaku.toml").write_text('[retrieval]\ntop_k = "many"\n')
    dg.materialize([scores], instance=instance, raise_on_error=False)
    assert tick(1.0) == "posted 1 alerts"
    assert webhook[0][0]["text"].endswith(" failed: scores: OSError: the disk is on fire")
