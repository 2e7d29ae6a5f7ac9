"""Kill a run at any moment: the next one finishes, pays for no finished call twice, and ends with the same tables."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from openai_server import OpenAIServer

from kohaku_assets.project import Project
from kohaku_lib.index import current_version, open_snapshot
from kohaku_lib.settings import load_settings

pytestmark = pytest.mark.xdist_group("killed")
CHECKED = ("documents", "tree_nodes", "predictions", "ensemble_votes", "scores", "submission")


def overrides(server):
    return [
        "llm.provider=openai",
        f"llm.base_url={server.base_url}",
        "llm.max_concurrent=2",
        "llm.retry_base_s=0.01",
        "planner.kind=rule",
    ]


def start(folder, settings):
    arguments = [part for override in settings for part in ("--set", override)]
    environment = os.environ | {"DAGSTER_HOME": str(folder / "dagster_home")}
    return subprocess.Popen(
        [sys.executable, "-m", "kohaku_assets.cli", "refresh", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(folder, settings):
    process = start(folder, settings)
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    return output


def kill_when(process, reached, limit_s=200):
    end = time.monotonic() + limit_s
    while not reached():
        assert process.poll() is None, process.stdout.read()
        assert time.monotonic() < end, "the moment to kill at never came"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()


def tables(folder, settings):
    project = Project(load_settings(overrides=settings, environment={}, folder=folder))
    snapshot = open_snapshot(project.snapshots, current_version(project.snapshots))
    return {name: project.files.latest_table(name) for name in CHECKED}, snapshot


def recorded_calls(folder):
    """The keys of all calls that reached the ledger; one that came twice was paid for although it was known."""
    lines = [
        line for path in (folder / "data/store/llm_calls").glob("*.jsonl") for line in path.read_text().splitlines()
    ]
    return [json.loads(line)["key"] for line in lines if line.endswith("}")]


def comparable(table):
    return table.drop_columns([name for name in ("trace_json",) if name in table.column_names]).to_pylist()


def test_a_run_killed_in_parsing_embedding_and_answering_ends_like_an_undisturbed_one(home, tmp_path):
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    for folder in (calm, rough):
        shutil.copytree(home, folder, ignore=shutil.ignore_patterns("store", "history", "storage", "schedules"))
    with OpenAIServer(delay_s=0.05) as server:
        settings = overrides(server)
        finish(calm, settings)
        undisturbed = len(server.billed)
        server.billed.clear()

        stages = rough / "data" / "store" / "stages"
        for marker in ("documents", "lexical_index"):  # in parsing, and just before or in embedding
            kill_when(start(rough, settings), lambda marker=marker: (stages / marker).exists())
        for calls in (2, 5):
            kill_when(start(rough, settings), lambda calls=calls: len(server.billed) >= calls)
        finish(rough, settings)
        assert undisturbed <= len(server.billed) <= undisturbed + 2 * 2  # two kills, two calls in flight at each
        assert len(recorded_calls(rough)) == len(set(recorded_calls(rough))) == undisturbed

        paid = len(server.billed)
        assert "everything is fresh" in finish(rough, settings)
        assert len(server.billed) == paid

        calm_tables, calm_index = tables(calm, settings)
        rough_tables, rough_index = tables(rough, settings)
    for name in CHECKED:
        assert comparable(rough_tables[name]) == comparable(calm_tables[name]), name
    assert rough_index.space_rows("main").equals(calm_index.space_rows("main"))
    cosines = np.einsum("nd,nd->n", rough_index.vectors("main"), calm_index.vectors("main"))
    assert cosines.min() >= 0.9999


def test_a_server_that_is_down_is_one_sentence_and_keeps_what_was_done(home, built, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(home, folder)
    with OpenAIServer() as server:
        # Its answers are worse than those of the published index, which is not the point here.
        settings = [*overrides(server), "llm.call_retries=0", "release.gate=false"]
    process = start(folder, settings)
    output, _ = process.communicate(timeout=200)
    assert process.returncode == 1
    said = [line for line in output.splitlines() if line.startswith("kohaku: ")]
    assert len(said) == 1
    assert said[0].startswith("kohaku: predictions: ")
    assert "Traceback" not in output
    with OpenAIServer(port=int(server.base_url.split(":")[2].split("/")[0])) as again:
        finish(folder, settings)
        assert len(again.billed) > 0
