from pathlib import Path

import pytest

from kohaku_lib.answering import label_paths, run_labels
from kohaku_lib.settings import Settings


@pytest.mark.parametrize(
    ("paths", "labels"),
    [
        (["runs/a/submission.csv", "runs/b/submission.csv"], ("a", "b")),
        (["one.csv", "two.csv"], ("one", "two")),
        (["x/one.csv", "y/two.csv"], ("x/one", "y/two")),
        (["a/same.csv", "a/same.csv"], ("same", "same#2")),
        (["runs/only.csv"], ("only",)),
        (["a/x/out.csv", "a/y/out.csv", "a/y/out.csv"], ("x", "y", "y#2")),
        (["a.csv", "b/a.csv"], ("a", "b/a")),
        (["x/a/1.csv", "x/b/2.csv"], ("a/1", "b/2")),
        (["x/a.1.csv", "x/a.2.csv"], ("a.1", "a.2")),
        (["a.csv", "x/a.csv", "x/y/a.csv"], ("a", "x/a", "x/y/a")),
        ([], ()),
    ],
)
def test_recorded_runs_go_by_what_differs_in_their_paths(paths, labels):
    assert label_paths([Path(path) for path in paths]) == labels


def test_runs_of_a_model_go_by_its_name_and_number():
    settings = Settings.model_validate({"llm": {"provider": "openai", "model": "m"}, "ensemble": {"runs": 2}})
    assert run_labels(settings) == ("m.0", "m.1")
