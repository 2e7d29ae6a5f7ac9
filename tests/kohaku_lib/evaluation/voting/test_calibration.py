"""Weights from known answers, and votes by them."""

import math
from pathlib import Path

import pytest

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import calibrate, calibrate_files, read_rows, score_rows, vote_rows, write_csv
from kohaku_lib.evaluation.submission import text_row
from kohaku_lib.settings import EnsembleSettings

WATTBOT = Path(__file__).resolve().parents[4] / "../shared/data/wattbot"
TRUTH = [{"id": f"q{n}", "answer_value": str(n), "ref_id": "['a']"} for n in range(6)]


def answers(*values):
    return [{"id": f"q{n}", "answer_value": value, "ref_id": "['a']"} for n, value in enumerate(values)]


def weights(**runs):
    return calibrate(dict.fromkeys(runs, TRUTH), runs).weights


def test_a_weight_is_the_log_odds_of_the_shrunken_accuracy():
    found = weights(x=answers("0", "1", "2", "3"), y=answers("0", "1", "7", "7"))
    mean = (6 + 1) / (8 + 2)
    assert found["x"] == pytest.approx(math.log((4 + 4 * mean) / (4 - 4 * mean)))
    assert found["y"] == pytest.approx(math.log((2 + 4 * mean) / (6 - 4 * mean)))


def test_abstentions_and_unanswerable_questions_do_not_count():
    truth = [*TRUTH[:2], {"id": "q2", "answer_value": "is_blank", "ref_id": "is_blank"}]
    sparing, bold = answers("0", "is_blank", ""), answers("0", "n/a", "5")
    found = calibrate({"x": truth, "y": truth}, {"x": sparing, "y": bold})
    assert found.weights["x"] == found.weights["y"] > 0


def test_a_member_without_known_answers_weighs_like_the_mean():
    found = weights(
        x=answers("0", "1", "2", "3"), y=answers("0", "1", "7", "7"), z=[{"id": "q99", "answer_value": "1"}]
    )
    assert found["y"] < found["z"] < found["x"]
    assert found["z"] == pytest.approx(math.log(0.7 / 0.3))


def test_a_member_worse_than_a_coin_keeps_a_little_weight():
    assert weights(x=answers("0", "1", "2"), y=answers("9", "9", "9"))["y"] == 0.05


def test_values_count_as_they_would_be_voted():
    spoken = [{"id": "q0", "answer": "5 million liters", "answer_value": "5", "answer_unit": "liters", "ref_id": ""}]
    truth = [{"id": "q0", "answer_value": "5000000", "ref_id": ""}]
    assert calibrate({"x": truth}, {"x": spoken}).weights["x"] > 0.3


def test_without_any_known_answer_calibration_is_refused():
    with pytest.raises(InputFileError, match=r"none of \['x'\] does"):
        weights(x=answers("", ""))


def test_a_truth_without_its_columns_teaches_nothing():
    with pytest.raises(InputFileError, match="Calibration needs runs that answer"):
        calibrate({"x": [{"id": "q0"}]}, {"x": answers("0")})
    with pytest.raises(InputFileError, match="Calibration needs runs that answer"):
        calibrate({"x": [{"answer_value": "0"}]}, {"x": answers("0")})


def test_members_of_one_truth_are_polled_together_and_of_two_apart():
    other = [{"id": "q0", "answer_value": "7", "ref_id": "['b']"}]
    lessons = calibrate({"x": TRUTH, "y": TRUTH, "z": other}, dict.fromkeys("xyz", answers("0"))).lessons
    assert [[ballot.member for ballot in lesson.poll.ballots] for lesson in lessons] == [["x", "y"], ["z"]]
    assert [lesson.belief.values for lesson in lessons] == [(1.0,), (0.0,)]
    assert [lesson.belief.refs for lesson in lessons] == [{"a": 1.0}, {"a": 0.0}]


def test_an_unanswerable_question_teaches_that_it_has_no_answer():
    truth = [*TRUTH[:1], {"id": "q1", "answer_value": "is_blank", "ref_id": "is_blank"}]
    lessons = calibrate({"x": truth}, {"x": answers("0", "5")}).lessons
    assert [lesson.belief.unanswerable for lesson in lessons] == [0.0, 1.0]


def test_files_are_weighed_by_position(tmp_path):
    write_csv(TRUTH, tmp_path / "truth.csv")
    write_csv(answers("7", "7", "7"), tmp_path / "poor.csv")
    write_csv(answers("0", "1", "2"), tmp_path / "good.csv")
    pairs = [(tmp_path / "truth.csv", tmp_path / name) for name in ("poor.csv", "good.csv")]
    calibration = calibrate_files([tmp_path / "p.csv", tmp_path / "g.csv"], pairs)
    assert calibration.weights["p"] < calibration.weights["g"]


@pytest.mark.skipif(not WATTBOT.exists(), reason="the WattBot material is not at hand")
def test_calibrated_votes_beat_plain_ones_on_questions_that_were_left_out():
    truth = read_rows(WATTBOT / "train_QA.csv")
    paths = sorted(path for path in WATTBOT.glob("train_runs/archive-*/submission.csv") if "ensemble" not in str(path))
    runs = {path.parent.name: read_rows(path) for path in paths}
    policy = EnsembleSettings(ref_mode="answer_priority")
    voted = []
    for held in truth:
        known = {name: [row for row in rows if row["id"] != held["id"]] for name, rows in runs.items()}
        asked = {name: [row for row in rows if row["id"] == held["id"]] for name, rows in runs.items()}
        votes, _ = vote_rows(asked, policy, calibrate(dict.fromkeys(runs, truth), known))
        voted += [text_row(row) for row in votes.to_pylist()]
    plain, _ = vote_rows(runs, policy)
    plain_score = score_rows(truth, [text_row(row) for row in plain.to_pylist()]).score
    assert score_rows(truth, voted).score >= plain_score + 0.01
    assert plain_score == pytest.approx(0.7945, abs=1e-4)
