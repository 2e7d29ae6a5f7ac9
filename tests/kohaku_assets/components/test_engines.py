"""Predictions by another engine, and a run that is interrupted."""

import importlib.util
import os
import signal
import subprocess
import sys
import time

import pytest
from openai_server import OpenAIServer

from kohaku_assets.components.indexes import open_own_index
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.run import Run
from kohaku_lib.service.question_answering import QuestionAnswering

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


def latest(project, stage):
    return project.files.read(stage, project.files.latest(stage).input_key)


@pytest.mark.xdist_group("ray")  # one cluster at a time
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the extra [ray] is not installed")
def test_actors_of_ray_give_the_predictions_that_threads_gave(fresh):
    project = fresh("engine.kind=ray", "engine.workers=2", "answer.max_retries=2")
    assert [status.status for status in project.statuses(["predictions"])][-1] == "fresh"  # no setting of results
    try:
        questions, contexts = latest(project, "questions"), latest(project, "retrieved_context")
        table, report = QuestionAnswering(Run(project).session, open_own_index(project)).answer(questions, contexts)
    finally:
        import ray  # not before: what it reads from the environment when imported keeps the cluster on the loopback

        ray.shutdown()
    assert table.equals(latest(project, "predictions"))
    assert report.rows_computed == questions.num_rows


def test_an_interrupted_refresh_ends_in_one_sentence_and_the_next_one_pays_for_nothing_twice(fresh):
    with OpenAIServer(delay_s=0.3) as server:
        settings = ["llm.provider=openai", f"llm.base_url={server.base_url}", "llm.max_concurrent=2"]
        settings += ["planner.kind=rule", "answer.max_retries=0", "release.gate=false"]
        project = fresh(*settings)
        overrides = [part for override in settings for part in ("--set", override)]
        process = subprocess.Popen(
            [sys.executable, "-m", "kohaku_assets.cli", "refresh", *overrides],
            cwd=project.home,
            env=os.environ | {"OPENAI_API_KEY": "no-key"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        end = time.monotonic() + 120
        while server.stats()["billed"] < 3 and time.monotonic() < end and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        billed = server.stats()["billed"]
        assert process.returncode == 130
        assert "kohaku: predictions: stopped; finished stages and paid calls are saved" in told
        assert "Traceback" not in told
        assert 3 <= billed < 12
        assert refresh(project).failure is None
        assert server.stats() == {"requests": 12, "billed": 12, "distinct": 12}
