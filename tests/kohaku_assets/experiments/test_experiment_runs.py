"""Experiments: run once, measured, recorded with the reason where they fail, and found again in DuckDB."""

import json

import duckdb
import pytest

from kohaku_assets.experiments.experiment_records import import_experiment, recorded, recorded_results
from kohaku_assets.experiments.experiment_runs import is_recorded, run_experiment
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import read_rows
from kohaku_lib.evaluation.experiments.meter import Limits


def quiet(text):
    return None


def test_an_experiment_is_measured_recorded_and_not_run_twice(fresh):
    project = fresh("retrieval.top_k=3")
    assert not is_recorded(project, "three")
    assert run_experiment(project, "three", Limits(), quiet) is None
    assert is_recorded(project, "three")
    [row] = recorded(project)
    assert (row["name"], row["source"], row["problem"], row["provider"], row["model"]) == (
        "three",
        "run",
        None,
        "reader",
        "reader",
    )
    assert row["questions"] == len({one["id"] for one in recorded_results(project)}) > 0
    assert 0 < row["retrieval_s"] + row["answer_s"] <= row["latency_s"] + 1e-9
    assert row["rss_peak_bytes"] > 0
    assert "CPU: " in row["energy_method"]
    assert json.loads(row["settings_json"]) == {"retrieval.top_k": 3}
    assert json.loads(row["hardware_json"])["cpu_cores"] > 0
    other = project.with_settings(
        load_settings(overrides=["retrieval.top_k=4"], environment={}, folder=project.home).settings
    )
    assert not is_recorded(other, "three")
    assert [status.asset for status in fresh().statuses() if status.status != "fresh"] == []


def test_the_matrix_in_duckdb_has_a_column_per_experiment_and_metric(fresh):
    project = fresh()
    run_experiment(project, "one", Limits(), quiet)
    import_experiment(project, "two", project.submission, None)
    with duckdb.connect(project.store / "kohaku.duckdb", read_only=True) as connection:
        assert connection.sql("SELECT name FROM experiments ORDER BY name").fetchall() == [("one",), ("two",)]
        matrix = connection.sql("SELECT * FROM results_matrix")
        assert matrix.columns == [
            "id",
            *(f"{name} {metric}" for name in ("one", "two") for metric in ("fork", "kohaku", "wattbot")),
        ]
        rows = matrix.fetchall()
    assert len(rows) == recorded(project)[0]["questions"]
    assert all(row[1:4] == row[4:7] for row in rows)  # the same answers


def test_an_imported_experiment_has_the_facts_of_its_summary(fresh, tmp_path):
    project = fresh()
    summary = tmp_path / "summary.json"
    summary.write_text(
        json.dumps({"model_id": "Qwen/Qwen2.5-7B-Instruct", "avg_latency_seconds": 11.5, "overall_score": 0.1})
    )
    import_experiment(project, "theirs", project.submission, summary)
    [row] = recorded(project)
    assert (row["source"], row["size_b"], row["latency_s"], row["stated_score"]) == ("imported", 7.0, 11.5, 0.1)
    assert row["wattbot_value"] > 0


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # a file that is being opened when it ends
def test_a_run_beyond_its_limit_is_recorded_with_the_reason(fresh):
    project = fresh()
    assert run_experiment(project, "large", Limits(memory_mb=1.0), quiet) == "it took more than 1 MiB of memory"
    [row] = recorded(project)
    assert (row["problem"], row["wattbot"]) == ("it took more than 1 MiB of memory", None)


@pytest.mark.parametrize("name", ["", "../up", ".hidden", "a/b"])
def test_a_name_that_is_no_folder_is_refused(fresh, name):
    with pytest.raises(InputFileError, match="is no name for it"):
        import_experiment(fresh(), name, fresh().submission, None)


def test_without_labelled_questions_there_is_nothing_to_score(fresh, tmp_path):
    rows = read_rows(fresh().settings.corpus.questions)
    unlabelled = tmp_path / "questions.csv"
    unlabelled.write_text("id,question\n" + "".join(f"{row['id']},What?\n" for row in rows))
    with pytest.raises(InputFileError, match="needs labelled questions"):
        run_experiment(fresh(f"corpus.questions={unlabelled}"), "none", Limits(), quiet)


def test_another_tenant_sees_no_experiment_and_passwords_are_recorded_nowhere(fresh):
    project = fresh("llm.base_url=https://user:sesame-open@example.org/v1")
    run_experiment(project, "own", Limits(), quiet)
    [row] = recorded(project)
    assert "example.org" in row["settings_json"]
    assert "sesame-open" not in row["settings_json"]
    corpus = project.settings.corpus.model_copy(update={"org_id": "other"})
    other = project.with_settings(project.settings.model_copy(update={"corpus": corpus}))
    assert recorded(other) == recorded_results(other) == []
