"""Dagster's folder is no part of the results: what happens to it ends a run in one sentence at most."""

import os
import shutil

import pytest
from killed_runs import KillableRun, copy_inputs

pytestmark = [
    pytest.mark.skipif("KOHAKU_TEST_POSTGRES" in os.environ, reason="damages the files of a history in SQLite"),
]


def refused(run):
    """The one sentence with which a run failed."""
    with run:
        assert run.process.wait(300) == 1
    assert "Traceback" not in "".join(run.lines)
    [sentence] = [line for line in run.lines if line.startswith("kohaku: ")]
    return sentence


@pytest.mark.slow
def test_a_history_that_is_deleted_in_mid_run_is_one_sentence_and_the_next_run_goes_on(home, tmp_path):
    folder = copy_inputs(home, tmp_path / "copy")
    with KillableRun(folder, []) as run:
        run.wait_for_stage("tree_nodes")
        shutil.rmtree(folder / "dagster_home", ignore_errors=True)
        assert refused(run).startswith(f"kohaku: Dagster cannot store its history in '{folder / 'dagster_home'}' (")
    printed = KillableRun(folder, []).finish()
    assert "│ documents            │ never built" not in printed  # it was finished, and is found
    assert "telemetry:\n  enabled: false" in (folder / "dagster_home" / "dagster.yaml").read_text()


@pytest.mark.slow
def test_a_damaged_history_is_one_sentence_that_says_what_helps(home, built, tmp_path):
    folder = shutil.copytree(home, tmp_path / "copy")
    history = folder / "dagster_home" / "history"
    for path in history.rglob("*.db*"):
        path.write_bytes(b"no database " * 100)
    sentence = refused(KillableRun(folder, ["retrieval.top_k=3"]))
    assert f"Dagster cannot store its history in '{history.parent}' (file is not a database)" in sentence
    assert "'kohaku doctor' if the error persists" in sentence
    shutil.rmtree(history)
    KillableRun(folder, ["retrieval.top_k=3"]).finish()
