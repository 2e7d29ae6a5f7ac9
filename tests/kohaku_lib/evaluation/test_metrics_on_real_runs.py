"""The metrics on recorded runs, against the figures that their origin computed."""

from pathlib import Path

import pytest

from kohaku_lib.evaluation import read_rows, score_rows, vote_files
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.evaluation.submission import text_row
from kohaku_lib.settings import EnsembleSettings

WATTBOT = Path(__file__).resolve().parents[3] / "../shared/data/wattbot"
pytestmark = pytest.mark.skipif(not WATTBOT.exists(), reason="the WattBot material is not at hand")
BEST_FIVE = ("qwen72b", "qwen3-30b-a3b", "qwen32b", "mixtral-8x22b", "qwen3b")


@pytest.fixture(scope="module")
def truth():
    return read_rows(WATTBOT / "train_QA.csv")


def run_path(name):
    return WATTBOT / "train_runs" / name / "submission.csv"


def test_every_recorded_run_scores_as_its_origin_computed(truth):
    recorded = read_rows(WATTBOT / "scores.csv")
    assert len(recorded) == 13
    for stated in recorded:
        predictions = read_rows(run_path(stated["run"]))
        strict, fork = score_rows(truth, predictions, "wattbot"), score_rows(truth, predictions, "fork")
        assert round(strict.value * 41) == int(stated["strict_correct"]), stated["run"]
        assert strict.ref == pytest.approx(float(stated["summary_ref_overlap"]), abs=1e-6)
        assert round(fork.value * 41) == int(stated["current_correct"]), stated["run"]
        assert fork.score == pytest.approx(float(stated["current_overall"]), abs=1e-6)
        if stated["summary_agrees_with"] == "strict":
            assert strict.value == pytest.approx(float(stated["summary_value_accuracy"]), abs=1e-6)


@pytest.mark.parametrize("metric", ANSWER_METRICS.names())
def test_a_blank_submission_scores_alike_by_every_metric(truth, metric):
    blank = [{"id": row["id"], "answer_value": "is_blank", "ref_id": "is_blank"} for row in truth]
    assert score_rows(truth, blank, metric).score == pytest.approx(0.143902, abs=1e-6)


@pytest.mark.parametrize("metric", ANSWER_METRICS.names())
def test_truth_against_itself_is_perfect(truth, metric):
    assert score_rows(truth, truth, metric).score == pytest.approx(1.0)


def test_the_default_vote_of_the_five_best_runs_beats_each_of_them(truth):
    paths = [run_path(f"archive-PowerEdge_{name}-bench") for name in BEST_FIVE]
    votes, report = vote_files(paths, EnsembleSettings())
    score = score_rows(truth, [text_row(row) for row in votes.to_pylist()]).score
    assert report.problems == ()
    assert score >= 0.81
    assert score > max(score_rows(truth, read_rows(path)).score for path in paths)


def test_the_default_vote_of_all_single_runs_beats_every_plain_one(truth):
    paths = sorted(path for path in WATTBOT.glob("train_runs/*/submission.csv") if "ensemble" not in str(path))

    def score(**settings):
        votes, _ = vote_files(paths, EnsembleSettings(**settings))
        return score_rows(truth, [text_row(row) for row in votes.to_pylist()]).score

    plain = max(score(ref_mode=mode) for mode in ("independent", "answer_priority", "intersection", "ref_priority"))
    assert score() >= plain + 0.01


def test_probabilities_of_the_default_vote_hold_what_they_promise(truth):
    paths = sorted(WATTBOT.glob("train_runs/archive-*-bench/submission.csv"))
    votes, _ = vote_files(paths, EnsembleSettings())
    right = {row.id: row.value for row in score_rows(truth, [text_row(row) for row in votes.to_pylist()]).rows}
    answered = [row for row in votes.to_pylist() if row["answer_value"] != "is_blank"]
    brier = sum((row["probability"] - right[row["id"]]) ** 2 for row in answered) / len(answered)
    assert brier < 0.12
    sure = [right[row["id"]] for row in answered if row["probability"] > 0.9]
    assert sum(sure) / len(sure) > 0.9
