"""Shares of right questions by label, and their intervals."""

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.report.shares import Share, answer_kind, evidence_of, shares
from kohaku_lib.evaluation.statistics.intervals import wilson_interval


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_that_of_scipy_by_wilson(counts):
    right, n = counts
    expected = scipy.stats.binomtest(right, n).proportion_ci(method="wilson")
    interval = wilson_interval(right, n)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-6)
    assert 0.0 <= interval.low <= right / n + 1e-12
    assert right / n - 1e-12 <= interval.high <= 1.0


def test_without_questions_there_is_no_interval_and_the_share_is_zero():
    assert (wilson_interval(0, 0).low, wilson_interval(0, 0).high) == (None, None)
    assert Share("x", 0, 0).share == 0.0


def test_the_interval_narrows_with_more_questions_at_the_same_share():
    widths = [wilson_interval(n // 2, n).high - wilson_interval(n // 2, n).low for n in (10, 100, 1000)]
    assert widths == sorted(widths, reverse=True)


def test_labels_go_by_frequency_and_equal_ones_by_first_appearance():
    pairs = [("b", False), ("a", True), ("c", True), ("c", False)]
    assert [(one.label, one.right, one.n) for one in shares(pairs)] == [("c", 1, 2), ("b", 0, 1), ("a", 1, 1)]
    assert shares([]) == ()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans())))
def test_every_question_is_counted_once_under_its_label(pairs):
    found = shares(pairs)
    assert sum(one.n for one in found) == len(pairs)
    assert sum(one.right for one in found) == sum(right for _, right in pairs)
    assert len({one.label for one in found}) == len(found)


@pytest.mark.parametrize(
    ("row", "kinds"),
    [
        ({"explanation": "Quote and Table 2", "answer_value": "4"}, ("quote", "table")),
        ({"explanation": "none", "answer_value": "4"}, ("not stated",)),
        ({"explanation": "none", "answer_value": "is_blank"}, ("no answer exists",)),
        ({}, ("no answer exists",)),
    ],
)
def test_evidence_without_a_kind_has_a_placeholder(row, kinds):
    assert evidence_of(row) == kinds


@pytest.mark.parametrize(
    ("question", "value", "kind"),
    [
        ("How many?", "4", "number"),
        ("Is it?", "True", "number"),
        ("Who?", "Zoë", "name or words"),
        ("true/false: it is", "0", "true or false"),
        ("T/F: it is", "0", "true or false"),
        ("True or False: it is", "is_blank", "no answer exists"),
    ],
)
def test_a_blank_truth_goes_before_a_claim_and_a_claim_before_its_value(question, value, kind):
    assert answer_kind(question, value) == kind
