"""Predictions by Ray actors equal those by threads."""

import importlib.util

import pytest

from kohaku_assets.components.indexes import open_own_index
from kohaku_assets.pipeline.run import Run
from kohaku_lib.project.question_tables import answer_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]


def latest(project, stage):
    return project.files.read(stage, project.files.latest(stage).input_key)


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the extra [ray] is not installed")
def test_actors_of_ray_give_the_predictions_that_threads_gave(fresh):
    project = fresh("parallel.kind=ray", "parallel.workers=2", "answer.max_retries=2")
    assert [status.status for status in project.statuses(["predictions"])][-1] == "fresh"  # no setting of results
    try:
        questions, contexts = latest(project, "questions"), latest(project, "retrieved_context")
        table, report = answer_table(Run(project).session, open_own_index(project), questions, contexts)
    finally:
        import ray  # not before: what it reads from the environment when imported keeps the cluster on the loopback

        ray.shutdown()
    assert table.equals(latest(project, "predictions"))
    assert report.rows_computed == questions.num_rows
