"""kohaku experiment, import-experiment, leaderboard and context-lengths on the sample."""

import json

import duckdb
import pyarrow.parquet as pq
import pytest

from kohaku_assets.records.sql_views import write_sql_views
from kohaku_lib.evaluation import read_rows
from kohaku_lib.storage.views import EXPERIMENT_FILE


def test_an_experiment_is_run_listed_and_shown_on_a_page(kohaku_checked, tmp_path):
    page = tmp_path / "experiments.html"
    first = kohaku_checked("experiment", "fewer", settings=["retrieval.top_k=2"])
    assert "one question first" in first.stderr
    assert "fewer" in first.stdout
    again = kohaku_checked("experiment", "fewer", settings=["retrieval.top_k=2"])
    assert "is recorded for these settings" in again.stderr
    kohaku_checked("import-experiment", "theirs", kohaku_checked.project.submission)
    rows = json.loads(kohaku_checked("experiment", "--html", page, "--json").stdout)
    assert [(row["name"], row["source"]) for row in rows] == [("fewer", "run"), ("theirs", "imported")]
    assert all(name in page.read_text() for name in ("fewer", "theirs", "Right answers by question"))


# The limit may end a run between the opening of a file and its closing.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_time_limit_ends_an_experiment_with_the_reason(kohaku_checked):
    result = kohaku_checked("experiment", "late", "--limit-mb", "1", code=1)
    assert "late: it took more than 1 MiB of memory" in result.stderr
    assert "late: it took more than 1 MiB of memory" in kohaku_checked("experiment").stderr


def test_runs_are_ranked_on_both_parts(kohaku_checked, tmp_path):
    truth = tmp_path / "truth.csv"
    lines = [f"q{n},7,['a'],{'Public' if n < 2 else 'Private'}" for n in range(4)]
    truth.write_text("\n".join(["id,answer_value,ref_id,Usage", *lines]))
    paths = []
    for name, values in (("first", "7711"), ("second", "1177")):
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text(
            "id,answer_value,ref_id\n" + "".join(f"q{n},{value},['a']\n" for n, value in enumerate(values))
        )
    places = json.loads(kohaku_checked("leaderboard", *paths, "--truth", truth, "--json").stdout)
    assert [(place["team"], place["private_rank"], place["gained"]) for place in places] == [
        ("second", 1, 1),
        ("first", 2, -1),
    ]
    shown = kohaku_checked("leaderboard", *paths, "--truth", truth)
    assert "second: 2 on the public part, 1 on the private one" in shown.stderr


def test_contexts_without_deduplication_are_longest_and_repeat_themselves(kohaku_checked):
    settings = ["retrieval.context_tokens=1000000", "retrieval.related_share=0"]
    lengths = json.loads(kohaku_checked("context-lengths", "--json", settings=settings).stdout)
    assert list(lengths) == ["none", "node_id", "tree"]
    assert lengths["none"]["chars"] >= lengths["node_id"]["chars"] >= lengths["tree"]["chars"] > 0
    assert lengths["none"]["repeated_chars"] > lengths["tree"]["repeated_chars"]
    assert lengths["tree"]["most_tokens"] >= lengths["tree"]["tokens"]


def test_recorded_experiments_are_voted_on_by_their_names(kohaku_checked, tmp_path):
    for name, value in (("first", "7"), ("second", "7"), ("third", "9")):
        answers = tmp_path / f"{name}.csv"
        ids = [row["id"] for row in read_rows(kohaku_checked.project.submission)]
        answers.write_text("id,answer_value,ref_id\n" + "".join(f"{one},{value},['a']\n" for one in ids))
        kohaku_checked("import-experiment", name, answers)
    out = tmp_path / "voted.csv"
    said = kohaku_checked("vote", "--experiments", "first,second", "--experiments", "third", "--out", out).stderr
    assert {row["answer_value"] for row in read_rows(out)} == {"7"}
    assert [line.split()[0] for line in said.splitlines() if line.split()[0] in ("first", "second", "third")] == [
        "first",
        "second",
        "third",
    ]
    unknown = kohaku_checked("vote", "--experiments", "fourth", "--out", out, code=2).stderr
    assert "there are no answers of an experiment 'fourth' in the store" in unknown
    assert "those with answers: first, second, third" in unknown
    assert "a vote needs files of answers or --experiments" in kohaku_checked("vote", "--out", out, code=2).stderr


def test_the_answers_of_a_run_are_kept_and_the_machine_has_the_name_that_it_is_given(kohaku_checked, tmp_path):
    kohaku_checked("experiment", "mine", "--env", "GB10")
    [row] = json.loads(kohaku_checked("experiment", "--json").stdout)
    assert (row["name"], row["environment"]) == ("mine", "GB10")
    out = tmp_path / "voted.csv"
    kohaku_checked("vote", "--experiments", "mine", kohaku_checked.project.submission, "--out", out)
    voted, submitted = read_rows(out), read_rows(kohaku_checked.project.submission)
    assert [row["answer_value"] for row in voted] == [row["answer_value"] for row in submitted]


def test_an_experiment_that_was_recorded_without_an_environment_is_listed_beside_one_that_has_it(kohaku_checked):
    kohaku_checked("experiment", "mine", "--env", "GB10")
    kohaku_checked("import-experiment", "theirs", kohaku_checked.project.submission)
    path = kohaku_checked.project.experiments / "theirs" / EXPERIMENT_FILE
    pq.write_table(pq.read_table(path).drop_columns(["environment"]), path)  # as stores of earlier versions have it
    rows = json.loads(kohaku_checked("experiment", "--json").stdout)
    assert [(row["name"], row["environment"]) for row in rows] == [("mine", "GB10"), ("theirs", None)]
    write_sql_views(kohaku_checked.project)
    with duckdb.connect(kohaku_checked.project.store / "kohaku.duckdb", read_only=True) as connection:
        shown = connection.sql("SELECT name, environment FROM experiments ORDER BY name").fetchall()
    assert shown == [("mine", "GB10"), ("theirs", None)]
