"""The three metrics against the rules of each, row by row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.evaluation.metrics.scoring import score_rows


def row(value, ref="['a']", name="q1"):
    return {"id": name, "answer_value": value, "ref_id": ref}


def parts(metric, truth_value, value, truth_ref="['a']", ref="['a']"):
    report = score_rows([row(truth_value, truth_ref)], [row(value, ref)], metric)
    return report.rows[0]


VALUES = [
    # truth, prediction, wattbot, kohaku, fork
    ("5", "5", 1, 1, 1),
    ("5", "", 0, 0, 0),
    ("5", "is_blank", 0, 0, 0),
    # a blank truth: always right, or only with a blank
    ("is_blank", "5", 1, 0, 1),
    ("is_blank", "", 1, 1, 1),
    ("is_blank", "n/a", 1, 0, 1),
    # tolerance: relative to the larger and inclusive, or relative to the truth
    ("1000", "1001", 1, 1, 1),
    ("1000", "1001.0005", 1, 0, 1),
    ("1000", "1001.5", 0, 0, 0),
    ("1000", "999", 1, 1, 1),
    # small numbers: 0.001 is near enough, or 1e-9
    ("0", "0.0005", 1, 0, 1),
    ("0.0003", "0.0009", 1, 0, 1),
    ("0", "0.002", 0, 0, 0),
    ("0", "0.0000000005", 1, 1, 1),
    # ranges
    ("[80,90]", "[80, 90]", 1, 1, 1),
    ("[80,90]", "[80.05,90.05]", 1, 1, 1),
    ("[80,90]", "[90,80]", 1, 0, 1),
    ("[80,90]", "85", 1, 0, 1),
    ("[80,90]", "90.0009", 1, 0, 1),
    ("[80,90]", "79.998", 0, 0, 0),
    ("[80,90]", "[80,91]", 0, 0, 0),
    ("[80,90]", "[80,85,90]", 0, 0, 0),
    ("80", "[80]", 0, 0, 0),
    ("85", "[80,90]", 0, 0, 0),
    # lists and sets of names: any order, or equal as text
    ("['x','y']", "['y', 'x']", 1, 0, 1),
    ("[x, y]", "[Y,X]", 1, 0, 1),
    ("{x, y}", "{y, x}", 1, 0, 1),
    ("[x, y]", "[x]", 0, 0, 0),
    # text: white space inside counts, or not
    ("Water consumption", " water consumption ", 1, 1, 1),
    ("Water consumption", "water  consumption", 0, 1, 0),
    ("Water consumption", "consumption", 0, 0, 0),
    # normalisation is the fork's alone
    ("1", "True", 0, 0, 1),
    ("1", "yes", 0, 0, 1),
    ("0", "FALSE", 0, 0, 1),
    ("1000", "1,000", 0, 0, 1),
    ("1000", "more than 1,000", 0, 0, 1),
    ("40", "~40", 0, 0, 1),
    ("40", "> 40", 0, 0, 1),
    ("40", "up to 40", 0, 0, 1),
    ("2000000000", "2B", 0, 0, 1),
    ("5000", "5k", 0, 0, 1),
    ("2510000", "2.51M", 0, 0, 1),
    ("[80,90]", "80-90", 0, 0, 1),
    ("[80,90]", "80 – 90", 0, 0, 1),
    ("[80,90]", "80 to 90", 0, 0, 1),
    ("[80,90]", "80-90%", 0, 0, 0),
    ("55", "55%", 0, 0, 0),
    ("[0.8,3500]", "0.8-3,500", 0, 0, 0),
    ("[300,1000]", "300 Watts to 1 Kilowatt", 0, 0, 0),
    # what floats allow
    ("nan", "nan", 0, 0, 0),
    ("inf", "inf", 1, 0, 1),
    ("5", "inf", 0, 0, 0),
    ("100000", "1e5", 1, 1, 1),
]


@pytest.mark.parametrize(("truth", "value", "wattbot", "kohaku", "fork"), VALUES)
def test_a_value_is_right_by_the_rules_of_each_metric(truth, value, wattbot, kohaku, fork):
    found = [parts(metric, truth, value).value for metric in ANSWER_METRICS.names()]
    assert found == [wattbot, kohaku, fork]


REFS = [
    # truth, prediction, official (wattbot and fork), kohaku
    ("['a','b']", '["b", "A"]', 1, 1),
    ("['a']", '["a", "b"]', 1 / 2, 1 / 2),
    ("['a','b']", "['b','c']", 1 / 3, 1 / 3),
    ("['a','b']", "a,b", 0, 1),
    ("['a','b']", "[a,b]", 0, 1),
    ("['a']", "a", 1, 1),
    ("is_blank", "is_blank", 1, 1),
    ("is_blank", "", 0, 1),
    ("is_blank", "['is_blank']", 1, 0),
    ("is_blank", '["is_blank","a"]', 1 / 2, 0),
    ("['a']", '["is_blank","a"]', 1 / 2, 1 / 2),
    ("['a']", "[]", 0, 0),
    ("", "", 1, 1),
    ("", "[]", 1, 1),
]


@pytest.mark.parametrize(("truth", "ref", "official", "kohaku"), REFS)
def test_references_overlap_by_the_rules_of_each_metric(truth, ref, official, kohaku):
    found = [parts(metric, "5", "5", truth, ref).ref for metric in ANSWER_METRICS.names()]
    assert found == pytest.approx([official, kohaku, official])


NAS = [
    # truth, prediction, its references, wattbot, kohaku, fork
    ("5", "is_blank", "is_blank", 1, 1, None),
    ("is_blank", "is_blank", "is_blank", 1, 1, 1),
    ("is_blank", "is_blank", "['a']", 1, 0, 1),
    ("is_blank", "is_blank", "['is_blank']", 1, 0, 1),
    ("is_blank", "N/A", "is_blank", 1, 0, 1),
    ("is_blank", "7", "is_blank", 0, 0, 0),
    ("is_blank", "Unable to answer with confidence based on the provided documents.", "is_blank", 0, 0, 1),
]


@pytest.mark.parametrize(("truth", "value", "ref", "wattbot", "kohaku", "fork"), NAS)
def test_abstention_counts_by_the_rules_of_each_metric(truth, value, ref, wattbot, kohaku, fork):
    assert [parts(metric, truth, value, "is_blank", ref).na for metric in ANSWER_METRICS.names()] == [
        wattbot,
        kohaku,
        fork,
    ]


def test_na_is_a_mean_over_all_rows_or_recall_over_the_unanswerable():
    truth = [row("5", name="q1"), row("is_blank", name="q2"), row("is_blank", name="q3"), row("6", name="q4")]
    found = [row("5", name="q1"), row("is_blank", name="q2"), row("7", name="q3"), row("6", name="q4")]
    assert score_rows(truth, found, "wattbot").na == 3 / 4
    assert score_rows(truth, found, "fork").na == 1 / 2
    assert score_rows([row("5")], [row("6")], "fork").na == 1.0


def test_the_score_weighs_value_ref_and_na():
    report = score_rows([row("5"), row("6", name="q2")], [row("5", "['a','b']"), row("7", name="q2")])
    assert (report.value, report.ref, report.na) == (0.5, 0.75, 1.0)
    assert report.score == pytest.approx(0.75 * 0.5 + 0.15 * 0.75 + 0.10)
    assert [part.score for part in report.rows] == pytest.approx([0.925, 0.25])


def test_a_row_that_is_left_out_of_the_mean_of_na_has_full_credit_for_it():
    right, wrong = (score_rows([row("5")], [row(value)], "fork").rows[0] for value in ("5", "6"))
    assert (right.na, right.score) == (None, pytest.approx(1.0))
    assert (wrong.na, wrong.score) == (None, pytest.approx(0.15 + 0.10))


def test_a_missing_row_is_passed_over_or_counted_by_kohaku():
    truth = [row("5"), row("6", name="q2"), row("is_blank", "is_blank", name="q3")]
    wattbot, kohaku, fork = (score_rows(truth, [row("5")], metric) for metric in ANSWER_METRICS.names())
    assert (wattbot.n, wattbot.score, fork.n, fork.score) == (1, 1.0, 1, 1.0)
    assert (kohaku.n, kohaku.value, kohaku.ref, kohaku.na) == pytest.approx((3, 2 / 3, 2 / 3, 1 / 3))
    assert wattbot.missing == kohaku.missing == ("q2", "q3")


def test_a_row_that_truth_lacks_is_reported_and_not_counted():
    report = score_rows([row("5")], [row("5"), row("6", name="q9")])
    assert (report.n, report.score, report.extra) == (1, 1.0, ("q9",))


def test_predictions_without_any_known_id_score_zero():
    report = score_rows([row("5")], [row("5", name="q9")])
    assert (report.n, report.score, report.interval.low, report.missing) == (0, 0.0, None, ("q1",))


@pytest.mark.parametrize(
    ("truth", "predictions", "words"),
    [
        ([], [row("5")], "at least one row"),
        ([row("5"), row("6")], [row("5")], r"\['q1'\] occur more than once"),
        ([row("5")], [row("5"), row("6")], "predictions must be unique"),
        ([{"id": "q1"}], [row("5")], "column 'answer_value'"),
        ([row("5")], [{"id": "q1", "answer_value": "5"}], "column 'ref_id'"),
        ([row("5"), row("5", name="")], [row("5")], "row 2 has ''"),
    ],
)
def test_files_that_cannot_be_scored_are_refused(truth, predictions, words):
    with pytest.raises(InputFileError, match=words):
        score_rows(truth, predictions)


def test_the_interval_holds_the_score_and_repeats_itself():
    truth = [row(str(n), name=f"q{n}") for n in range(30)]
    found = [row(str(n if n % 3 else -1), name=f"q{n}") for n in range(30)]
    report = score_rows(truth, found, "fork")
    assert report.interval.low < report.score < report.interval.high
    assert report.interval == score_rows(truth, found, "fork").interval


def test_a_perfect_run_has_no_spread():
    report = score_rows([row("5"), row("6", name="q2")], [row("5"), row("6", name="q2")])
    assert (report.interval.low, report.score, report.interval.high) == pytest.approx((1.0, 1.0, 1.0))


def test_empty_cells_and_absent_cells_are_alike():
    report = score_rows([row("is_blank", "")], [{"id": "q1", "answer_value": None, "ref_id": None}], "kohaku")
    assert (report.value, report.ref, report.na) == (1.0, 1.0, 1.0)


def test_ids_are_trimmed_and_told_apart_by_case():
    assert score_rows([row("5", name="q1 ")], [row("5", name=" q1")]).n == 1
    assert score_rows([row("5", name="Q1")], [row("5", name="q1")]).n == 0


def test_rows_stand_in_the_order_of_the_truth():
    truth = [row("5", name=name) for name in ("q9", "q1", "q5")]
    assert [part.id for part in score_rows(truth, truth[::-1]).rows] == ["q9", "q1", "q5"]


VALUE = st.sampled_from(
    ["", "is_blank", "n/a", "1", "1.0005", "True", "[1,2]", "[2,1]", "1-2", "x", "X ", "1,000", "nan"]
)
REF = st.sampled_from(["", "is_blank", "['is_blank']", "['a']", "a,b", '["b", "a"]', "[a,b]"])
ROWS = st.lists(st.tuples(VALUE, REF, VALUE, REF), min_size=1, max_size=6)


@given(ROWS, st.sampled_from(ANSWER_METRICS.names()))
def test_every_part_lies_between_zero_and_one_and_makes_up_the_score(cells, metric):
    truth = [row(value, ref, f"q{n}") for n, (value, ref, _, _) in enumerate(cells)]
    found = [row(value, ref, f"q{n}") for n, (_, _, value, ref) in enumerate(cells)]
    report = score_rows(truth, found, metric)
    assert all(0.0 <= part <= 1.0 for part in (report.value, report.ref, report.na))
    assert report.score == pytest.approx(0.75 * report.value + 0.15 * report.ref + 0.10 * report.na)


def test_the_fork_normalises_the_prediction_and_never_the_truth():
    assert score_rows([row("1-2")], [row("1-2")], "wattbot").value == 1.0
    assert score_rows([row("1-2")], [row("1-2")], "fork").value == 0.0


@given(ROWS, st.sampled_from(ANSWER_METRICS.names()))
def test_the_order_of_the_predictions_does_not_matter(cells, metric):
    truth = [row(value, ref, f"q{n}") for n, (value, ref, _, _) in enumerate(cells)]
    found = [row(value, ref, f"q{n}") for n, (_, _, value, ref) in enumerate(cells)]
    assert score_rows(truth, found, metric) == score_rows(truth, found[::-1], metric)
