"""Coverage and risk, the threshold of an abstention, and confidences as probabilities."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.abstention.coverage_risk import risk_curve
from kohaku_lib.evaluation.abstention.recalibration import brier_score, cross_fitted
from kohaku_lib.evaluation.abstention.signals import AGREEMENT, CITED, OWN, PROBABILITY, SNIPPET, VERIFIED, signals_of
from kohaku_lib.evaluation.abstention.threshold import ScoredAnswer, choose_abstention, folds

answers_st = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=30)


def area_of(ranked):
    """The mean of the risks after 1, 2, … answers, for an order without ties."""
    return float(np.mean([ranked[: place + 1].count(False) / (place + 1) for place in range(len(ranked))]))


def test_the_area_is_the_mean_risk_over_all_numbers_of_answers():
    curve = risk_curve([0.9, 0.8, 0.7, 0.6], [True, False, True, False])
    assert curve.area == pytest.approx((0 + 1 / 2 + 1 / 3 + 2 / 4) / 4)
    assert curve.best_area == pytest.approx((0 + 0 + 1 / 3 + 2 / 4) / 4)
    assert [(point.answered, point.wrong, point.threshold) for point in curve.points] == [
        (1, 0, 0.9),
        (2, 1, 0.8),
        (3, 1, 0.7),
        (4, 2, 0.6),
    ]


def test_coverage_is_of_all_questions_and_ends_where_blanks_begin():
    curve = risk_curve([0.9, 0.1], [True, False], questions=8)
    assert [point.coverage for point in curve.points] == [0.125, 0.25]
    assert curve.risk == 0.5


def test_answers_of_one_confidence_are_one_step_of_the_risk_of_all_of_them():
    curve = risk_curve([0.5] * 4, [True, False, True, True])
    assert len(curve.points) == 1
    assert curve.area == pytest.approx(0.25)
    assert curve.separation == 0.5


@given(answers_st)
def test_the_order_in_which_ties_are_given_changes_nothing(answers):
    there, back = (risk_curve([c for c, _ in rows], [r for _, r in rows]) for rows in (answers, answers[::-1]))
    assert there.area == pytest.approx(back.area)
    assert there.points == back.points


@given(answers_st)
def test_no_order_is_better_than_the_best_and_the_last_point_is_the_share_of_wrong_answers(answers):
    curve = risk_curve([confidence for confidence, _ in answers], [right for _, right in answers])
    assert curve.best_area <= curve.area + 1e-12
    assert curve.risk == pytest.approx(sum(not right for _, right in answers) / len(answers))


@given(st.lists(st.booleans(), min_size=1, max_size=20))
def test_without_ties_the_area_is_that_of_the_plain_definition(right):
    assert risk_curve(range(len(right), 0, -1), right).area == pytest.approx(area_of(right))


@given(answers_st)
def test_separation_is_the_share_of_pairs_in_the_right_order(answers):
    good = [confidence for confidence, right in answers if right]
    bad = [confidence for confidence, right in answers if not right]
    found = risk_curve([c for c, _ in answers], [r for _, r in answers]).separation
    if not good or not bad:
        assert found is None
    else:
        pairs = [(g > b) + 0.5 * (g == b) for g in good for b in bad]
        assert found == pytest.approx(sum(pairs) / len(pairs))


def test_no_answer_gives_an_empty_curve():
    curve = risk_curve([], [])
    assert (curve.points, curve.area, curve.risk, curve.separation, curve.interval.low) == ((), 0.0, 0.0, None, None)


def test_the_interval_of_the_area_holds_it_and_narrows_with_more_answers():
    few, many = (risk_curve(list(range(n)), [place % 3 > 0 for place in range(n)]) for n in (12, 240))
    for curve in (few, many):
        assert curve.interval.low <= curve.area <= curve.interval.high
    assert many.interval.high - many.interval.low < few.interval.high - few.interval.low


def test_answers_about_one_document_are_resampled_together():
    # "a" has two right answers before the wrong one of "b": twice "a" has the area 0, twice "b" 1, and both 1 / 9; the
    # separation is known where both are drawn, and then all pairs are in order.
    curve = risk_curve([0.9, 0.7, 0.8], [True, False, True], clusters=["a", "b", "a"])
    assert curve.area == pytest.approx(1 / 9)
    assert (curve.interval.low, curve.interval.high, curve.interval.clusters) == (0.0, 1.0, 9 / 5)
    assert (curve.separation_interval.low, curve.separation_interval.high) == (1.0, 1.0)


@given(answers_st)
def test_one_answer_per_document_gives_the_curve_of_independent_answers(answers):
    confidences, right = zip(*answers, strict=True)
    documents = [f"d{place}" for place in range(len(right))]
    assert risk_curve(confidences, right, clusters=documents) == risk_curve(confidences, right)


def test_the_effect_of_a_threshold_is_tested_by_document():
    answers = [ScoredAnswer(f"q{n}", n / 10, n > 3) for n in range(10)]
    alone = choose_abstention(answers, 0.5)
    together = choose_abstention([replace(one, cluster="a" if one.right else "b") for one in answers], 0.5)
    assert (alone.p_value, together.p_value) == (0.375, 1.0)  # sums of +0.5 and -2: all 4 ways are as extreme


def told(*rights, answerable=True):
    """Answers whose confidence falls from 1.0 on, right or wrong as told."""
    return [ScoredAnswer(f"q{n}", 1.0 - n / 100, right, answerable) for n, right in enumerate(rights)]


def test_the_threshold_is_the_one_of_least_cost():
    answers = told(*[True] * 10, *[False] * 5)
    found = choose_abstention(answers, 0.4)
    assert found.threshold == pytest.approx(0.91)
    assert found.cost_before == pytest.approx(5 / 15)
    # A fold of its own may move the threshold by one answer at most: the last right one is kept or left blank.
    assert 5 * 0.4 / 15 <= found.cost <= 7 * 0.4 / 15 + 1e-12
    assert found.saved == 5


def test_a_saving_on_few_answers_is_told_from_chance_only_where_all_of_them_agree():
    sure = choose_abstention(told(*[True] * 20, *[False] * 20), 0.5)
    assert (sure.saved >= 19, sure.p_value < 0.001, sure.cost < sure.cost_before) == (True, True, True)
    # Four saved and one lost, 0.5 each: of the 32 ways to swap, 12 go as far.
    unsure = choose_abstention([ScoredAnswer(f"q{n}", n / 10, n > 3) for n in range(10)], 0.5)
    assert (unsure.saved, unsure.lost, unsure.p_value) == (4, 1, 12 / 32)
    assert choose_abstention([], 0.5).p_value == 1.0


def test_a_blank_that_costs_as_much_as_a_wrong_answer_is_never_worth_it():
    found = choose_abstention(told(True, False, False, True, False), 1.0)
    assert (found.threshold, found.left_blank, found.lost, found.saved) == (float("-inf"), (), 0, 0)
    assert found.cost == found.cost_before == pytest.approx(0.6)


def test_a_blank_that_costs_nothing_leaves_out_whatever_may_be_wrong():
    found = choose_abstention(told(*[True] * 6, *[False, True] * 6), 0.0)
    assert found.threshold == pytest.approx(0.95)


def test_a_blank_where_there_is_no_answer_costs_nothing():
    answers = [
        *told(*[True] * 12),
        *(ScoredAnswer(f"n{n}", 0.1 + n / 1000, False, answerable=False) for n in range(12)),
    ]
    found = choose_abstention(answers, 0.9)
    assert found.saved >= 11
    assert found.cost < 0.1


def test_equal_confidences_are_never_parted():
    answers = [ScoredAnswer(f"q{n}", 0.5, n % 2 == 0) for n in range(10)]
    found = choose_abstention(answers, 0.2)
    assert found.threshold == float("inf")
    assert len(found.left_blank) == 10


def test_luck_is_not_taken_for_skill():
    """Where confidence says nothing, the threshold that fits best does no good on questions that it has not seen."""
    generator = np.random.default_rng(4)
    costs = []
    for trial in range(40):
        rights = generator.random(40) < 0.6
        answers = [
            ScoredAnswer(f"{trial}-{n}", float(generator.random()), bool(right)) for n, right in enumerate(rights)
        ]
        found = choose_abstention(answers, 0.5)
        costs.append(found.cost - found.cost_before)
    assert np.mean(costs) > 0.0


@given(st.lists(st.text("abcdef", min_size=1), unique=True, max_size=40))
def test_folds_are_even_and_know_no_order(ids):
    parts = dict(zip(ids, folds(ids), strict=True))
    assert parts == dict(zip(ids[::-1], folds(ids[::-1]), strict=True))
    sizes = [list(parts.values()).count(part) for part in set(parts.values())]
    assert not sizes or max(sizes) - min(sizes) <= 1


def labelled(n, seed=0):
    generator = np.random.default_rng(seed)
    chances = generator.uniform(0.1, 0.9, n)
    return [str(place) for place in range(n)], chances, (generator.random(n) < chances).tolist()


def test_probabilities_that_are_right_are_left_about_as_they_are():
    ids, chances, right = labelled(2000)
    fitted = cross_fitted(ids, right, np.empty((2000, 0)), chances)
    assert np.abs(fitted - chances).mean() < 0.02


def test_a_few_labels_hardly_move_a_stated_probability():
    ids, chances, right = labelled(6)
    fitted = cross_fitted(ids, right, np.empty((6, 0)), chances)
    assert np.abs(fitted - chances).max() < 0.25


def test_probabilities_that_are_too_sure_are_drawn_to_the_middle():
    ids, chances, right = labelled(2000)
    sure = 1.0 / (1.0 + ((1.0 - chances) / chances) ** 3)
    fitted = cross_fitted(ids, right, np.empty((2000, 0)), sure)
    assert brier_score(fitted, right) < brier_score(sure, right)
    assert np.abs(fitted - chances).mean() < 0.05


def test_a_signal_on_any_scale_becomes_a_probability():
    ids, chances, right = labelled(2000)
    signal = 100.0 + 7.0 * np.log(chances / (1.0 - chances))
    fitted = cross_fitted(ids, right, signal[:, None])
    assert np.abs(fitted - chances).mean() < 0.02


def test_a_signal_that_says_nothing_gives_about_the_mean():
    ids, _, right = labelled(400)
    fitted = cross_fitted(ids, right, np.ones((400, 1)))
    assert fitted == pytest.approx(np.full(400, np.mean(right)), abs=0.02)


@pytest.mark.parametrize("right", [[True] * 12, [False] * 12])
def test_answers_that_are_all_alike_are_no_certainty(right):
    fitted = cross_fitted([str(n) for n in range(12)], right, np.arange(12.0)[:, None])
    assert np.all((fitted > 0.01) & (fitted < 0.99))


def vote(**changes):
    usual = {"answer_value": "7", "ref_id": ["a"], "agreement": 0.75, "probability": 0.9, "votes_json": "[1, 2]"}
    return usual | changes


def prediction(**changes):
    return {"answer_value": "7", "confidence": 0.6, "citations": []} | changes


def test_a_vote_speaks_by_its_probability_and_its_agreement():
    assert signals_of(vote(), [], None) == {PROBABILITY: 0.9, AGREEMENT: 0.75}
    assert signals_of(vote(probability=None, votes_json="[1]"), [], None) == {}


def test_only_runs_that_say_what_was_voted_speak_for_it():
    rows = [prediction(), prediction(answer_value="7.0", confidence=0.8), prediction(answer_value="9", confidence=0.1)]
    assert signals_of(vote(probability=None, votes_json="[1]"), rows, None) == {OWN: pytest.approx(0.7)}


def test_a_quote_counts_as_often_as_it_was_found():
    rows = [prediction(confidence=None, citations=[{"quote_found": True}, {"quote_found": False}])]
    assert signals_of(vote(probability=None, votes_json="[1]"), rows, None) == {VERIFIED: 0.5}


@pytest.mark.parametrize(("refs", "expected"), [(["B"], 0.5), (["a", "b"], 0.75), (["elsewhere"], 0.0), ([], 0.0)])
def test_a_cited_document_counts_by_its_place_in_the_context(refs, expected):
    snippets = [{"document_id": name, "score": score} for name, score in (("a", 0.4), ("a", 0.3), ("b", 0.6))]
    found = signals_of(vote(ref_id=refs), [], {"snippets": snippets})
    assert (found[CITED], found[SNIPPET]) == (expected, 0.6)


def test_an_empty_context_says_nothing():
    assert set(signals_of(vote(), [], {"snippets": []})) == {PROBABILITY, AGREEMENT}
