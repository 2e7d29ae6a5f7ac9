"""Recorded runs through the whole group: votes, scores, error report, submission."""

import csv
import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from kohaku_lib.answering import Engine, GivenParts, answer_questions, build_answerer
from kohaku_lib.evaluation import (
    build_submission,
    read_rows,
    report_errors,
    score_answers,
    score_rows,
    vote,
    vote_files,
    write_csv,
)
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.settings import EnsembleSettings, Settings
from kohaku_lib.tables import PREDICTIONS, QUESTIONS, RETRIEVED_CONTEXT, SUBMISSION, empty_table
from kohaku_lib.values import is_blank, parse_refs

WATTBOT = Path(__file__).resolve().parents[3] / "../shared/data/wattbot"
pytestmark = pytest.mark.skipif(not WATTBOT.exists(), reason="the WattBot material is not at hand")
RUNS = ("archive-PowerEdge_qwen72b-bench", "archive-PowerEdge_qwen3-30b-a3b-bench", "fixed-PowerEdge_qwen7b-bench")


def path_of(run):
    return WATTBOT / "train_runs" / run / "submission.csv"


@pytest.fixture(scope="module")
def truth():
    return read_rows(WATTBOT / "train_QA.csv")


@pytest.fixture(scope="module")
def questions(truth):
    rows = [
        {
            "id": row["id"],
            "question": row["question"],
            "answer_unit": None if is_blank(row["answer_unit"]) else row["answer_unit"],
            "has_truth": True,
            "row_json": json.dumps(row),
        }
        for row in truth
    ]
    return pa.Table.from_pylist(rows, schema=QUESTIONS)


@pytest.fixture(scope="module")
def predictions():
    rows = []
    for number, run in enumerate(RUNS):
        for row in read_rows(path_of(run)):
            lists = {"ref_id": parse_refs(row["ref_id"]), "ref_url": parse_refs(row["ref_url"]), "citations": []}
            counts = {"run": number, "run_label": run, "attempts": 1, "dropped_refs": 0, "trace_json": "{}"}
            rows.append({**row, **lists, **counts})
    return pa.Table.from_pylist(rows, schema=PREDICTIONS)


@pytest.fixture(scope="module")
def votes(predictions):
    return vote(predictions, EnsembleSettings())[0]


def test_a_vote_over_the_table_is_the_vote_over_the_files(votes):
    from_files, _ = vote_files([path_of(run) for run in RUNS], EnsembleSettings())
    for column in ("id", "answer_value", "ref_id", "agreement"):
        assert votes.column(column).to_pylist() == from_files.column(column).to_pylist()


def test_runs_in_the_table_score_as_their_files_do(truth, questions, votes, predictions):
    _, report = score_answers(questions, votes, predictions)
    for run in RUNS:
        for metric in ("wattbot", "kohaku", "fork"):
            stated = score_rows(truth, read_rows(path_of(run)), metric)
            assert report.metrics[f"{metric}/{run}/value"] == pytest.approx(stated.value)
    best = max(report.metrics[f"wattbot/{run}/score"] for run in RUNS)
    assert report.metrics["wattbot/ensemble/score"] > best


def test_the_written_submission_scores_as_the_votes_do(truth, questions, votes, predictions, tmp_path):
    table, report = build_submission(votes, questions)
    write_csv(table, tmp_path / "submission.csv")
    written = read_rows(tmp_path / "submission.csv")
    _, scored = score_answers(questions, votes, predictions)
    assert score_rows(truth, written).score == pytest.approx(scored.metrics["wattbot/ensemble/score"])
    assert [row["id"] for row in written] == [row["id"] for row in truth]
    assert all(all(row.values()) for row in written)
    assert report.problems == ()
    with (tmp_path / "submission.csv").open(newline="", encoding="utf-8") as stream:
        assert next(csv.reader(stream)) == SUBMISSION.names


def test_the_error_report_and_the_score_agree_on_what_is_right(truth, questions, votes):
    table, report = report_errors(questions, votes, empty_table(RETRIEVED_CONTEXT))
    counts = Counter(table.column("category").to_pylist())
    written = build_submission(votes, questions)[0].to_pylist()
    right = sum(row.value for row in score_rows(truth, written, "kohaku").rows)
    inside_a_range = sum(row["category"] in {"ok", "reference"} for row in table.to_pylist()) - right
    assert 0 <= inside_a_range <= 2  # kohaku wants the whole range
    assert sum(counts.values()) == 41
    assert report.metrics["category/ok"] == counts["ok"] > 20
    assert counts["missing"] == 0
    lost = {row["lost_at"] for row in table.to_pylist() if row["category"] not in {"ok", "false_positive"}}
    assert lost == {"retrieval"}  # there is no context at all


@pytest.mark.parametrize("run", [path.parent.name for path in sorted(WATTBOT.glob("train_runs/*/submission.csv"))])
def test_a_replayed_run_scores_as_its_file_does_all_the_way_to_the_submission(run, truth, questions, tmp_path):
    settings = Settings.model_validate({"answer": {"by": "replay"}, "replay": {"runs": [str(path_of(run))]}})
    answerer, contexts = build_answerer(settings), empty_table(RETRIEVED_CONTEXT)
    predicted, _ = answer_questions(questions, contexts, Engine(settings, GivenParts([answerer], None, {})))
    voted, _ = vote(predicted, settings.ensemble)
    _, scored = score_answers(questions, voted, predicted)
    write_csv(build_submission(voted, questions)[0], tmp_path / "submission.csv")
    for metric in ANSWER_METRICS.names():
        wanted = score_rows(truth, read_rows(path_of(run)), metric)
        written = score_rows(truth, read_rows(tmp_path / "submission.csv"), metric)
        for part in ("value", "ref", "na", "score"):
            figure = getattr(wanted, part)
            assert (metric, part, getattr(written, part)) == (metric, part, figure)
            assert {scored.metrics[f"{metric}/{member}/{part}"] for member in ("ensemble", "submission")} == {figure}
