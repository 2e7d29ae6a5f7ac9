"""The marker of a run: whose it is, and which checks wait for the next step or the next run."""

import pytest

from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stages import CHECKS
from kohaku_assets.records.unfinished_run import (
    UnfinishedRun,
    begin_run,
    end_run,
    keep_run,
    unchecked_assets,
    unfinished_run,
)

CHECK = CHECKS["tree_nodes"][0]


@pytest.fixture
def project(fresh):
    return fresh()


def steps(project, run_id="one"):
    run = Run(project, dagster_id=run_id)
    begin_run(run)
    return run


def test_a_step_hands_its_pending_checks_to_the_next_one_of_its_run(project):
    first = steps(project)
    first.unchecked.add(CHECK)
    keep_run(first)
    second = steps(project)
    assert second.unchecked == {CHECK}
    second.unchecked.clear()
    keep_run(second)
    assert unfinished_run(project) == UnfinishedRun("one", frozenset())
    end_run(second)
    assert unfinished_run(project) is None


def test_what_a_run_left_unchecked_waits_for_the_next_one(project):
    run = steps(project)
    run.unchecked.add(CHECK)
    end_run(run)
    assert unfinished_run(project) == UnfinishedRun(None, frozenset({CHECK}))
    assert unchecked_assets(project) == ["tree_nodes"]


@pytest.mark.parametrize("text", [None, ""])
def test_after_a_kill_all_checks_of_what_was_built_are_pending(project, text):
    steps(project)
    if text is not None:  # as earlier versions marked a store
        project.paths.unfinished.write_text(text)
    built = {asset for asset in CHECKS if project.files.latest(asset)}
    assert built
    assert set(unchecked_assets(project)) == built
    assert unfinished_run(project).run_id == ("one" if text is None else None)
