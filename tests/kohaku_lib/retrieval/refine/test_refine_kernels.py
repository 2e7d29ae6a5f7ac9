"""The formulas by which snippets are dropped and reordered, against numbers worked out by hand."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.retrieval import in_order
from kohaku_lib.retrieval.refine.expand import ExpandedMatch
from kohaku_lib.retrieval.refine.mmr import mmr_order, relative
from kohaku_lib.retrieval.refine.refine import asked_types, in_new_order, penalised
from kohaku_lib.retrieval.refine.score_thresholds import above_gap, above_share_of_best, conformal_threshold, refusal
from kohaku_lib.retrieval.refine.semantic_dedup import find_duplicates, gram_similarity, three_grams
from kohaku_lib.retrieval.refine.verification import UnusableGradesError, grade_by_chat, parse_grades, passing

SHARES = st.floats(0.0, 1.0)
RELEVANCE = np.array([1.0, 0.9, 0.8, 0.3])
# the second says what the first says; the third is at 60 degrees from both; the fourth is about something else
VECTORS = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 3**0.5 / 2, 0.0], [0.0, 0.0, 1.0]])


def test_mmr_takes_what_is_new_before_what_is_near():
    # second pick: 0.7·0.9 - 0.3·1 = 0.33, 0.7·0.8 - 0.3·0.5 = 0.41, 0.7·0.3 = 0.21; third: 0.33 and 0.21
    assert mmr_order(RELEVANCE, VECTORS, 3, 0.7).tolist() == [0, 2, 1, 3]
    # at 0.5 the third pick: 0.45 - 0.5 = -0.05 against 0.15
    assert mmr_order(RELEVANCE, VECTORS, 3, 0.5).tolist() == [0, 2, 3, 1]
    assert mmr_order(RELEVANCE, VECTORS, 2, 0.5).tolist() == [0, 2, 1, 3]


def test_mmr_with_full_weight_on_relevance_sorts_by_it_and_what_fits_is_left_alone():
    shuffled = [2, 0, 3, 1]
    assert mmr_order(RELEVANCE[shuffled], VECTORS[shuffled], 3, 1.0).tolist() == [1, 3, 0, 2]
    assert mmr_order(RELEVANCE[shuffled], VECTORS[shuffled], 4, 0.0).tolist() == [0, 1, 2, 3]
    assert mmr_order(np.zeros(0), np.zeros((0, 3)), 2, 0.7).tolist() == []


def test_mmr_without_vectors_keeps_the_order():
    assert mmr_order(RELEVANCE, np.zeros((4, 3)), 2, 0.7).tolist() == [0, 1, 2, 3]


@given(st.lists(st.tuples(SHARES, st.floats(0, 6.28)), min_size=1, max_size=12), st.integers(1, 12), SHARES)
def test_mmr_picks_each_time_the_best_by_its_definition(items, k, weight):
    relevance = np.array([score for score, _ in items])
    vectors = np.array([[np.cos(angle), np.sin(angle)] for _, angle in items])
    order = mmr_order(relevance, vectors, k, weight).tolist()
    assert sorted(order) == list(range(len(items)))
    if len(items) <= k:
        return
    for n in range(k):
        picked = order[:n]
        values = [
            weight * relevance[at]
            - (1 - weight) * max((float(vectors[at] @ vectors[of]) for of in picked), default=0.0)
            for at in order[n:]
        ]
        assert values[0] == pytest.approx(max(values), abs=1e-9)
    assert order[k:] == sorted(order[k:])


def test_relevance_is_a_share_of_the_best():
    assert relative(np.array([4.0, 1.0, -3.0])).tolist() == [1.0, 0.25, 0.0]
    assert relative(np.array([-1.0, -2.0])).tolist() == [1.0, 1.0]


def test_a_duplicate_is_what_is_nearer_than_the_threshold_to_a_better_one_that_stays():
    angles = np.radians([0.0, 10.0, 20.0, 90.0])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    # cos 10° = 0.985, cos 20° = 0.940: the third is near the second, but that one is gone
    found = find_duplicates(["a", "b", "c", "d"].__getitem__, vectors, 0.95)
    assert [(one.position, one.of, one.by, round(one.similarity, 3)) for one in found] == [(1, 0, "cosine", 0.985)]
    found = find_duplicates(["a", "b", "c", "d"].__getitem__, vectors, 0.93)
    assert [(one.position, one.of) for one in found] == [(1, 0), (2, 0)]


def test_equal_to_the_threshold_is_no_duplicate():
    assert find_duplicates(["a", "b"].__getitem__, np.array([[1.0], [1.0]]), 1.0) == []


def test_texts_that_differ_in_a_number_are_no_duplicates():
    same = np.ones((2, 1))
    assert find_duplicates(["In 2019: 5.5 kWh", "In 2020: 5.5 kWh"].__getitem__, same, 0.9) == []
    assert len(find_duplicates(["In 2019 and 2020: 5.5 kWh", "In 2020: 5.5 kWh"].__getitem__, same, 0.9)) == 1


def test_without_a_vector_three_grams_decide():
    assert gram_similarity(three_grams("abcd"), three_grams("bcde")) == pytest.approx(1 / 3)  # bcd of abc, bcd, cde
    vectors = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    found = find_duplicates(["A cat sleeps.", "A cat  SLEEPS.", "A dog barks."].__getitem__, vectors, 0.95)
    assert [(one.position, one.of, one.by) for one in found] == [(1, 0, "3-grams"), (2, 0, "cosine")]


@given(st.lists(st.sampled_from(["cats", "cats", "dogs", "1 cat", "2 cats"]), max_size=8), SHARES)
def test_what_stays_are_no_duplicates_of_each_other(texts, threshold):
    found = find_duplicates(texts.__getitem__, np.zeros((len(texts), 2)), threshold)
    gone = {one.position for one in found}
    kept = [text for at, text in enumerate(texts) if at not in gone]
    assert find_duplicates(kept.__getitem__, np.zeros((len(kept), 2)), threshold) == []
    assert not gone & {one.of for one in found}


def test_a_penalty_lowers_a_score_whatever_its_sign():
    scores, factors = np.array([1.0, 0.5, 0.0, -0.5]), np.array([0.7, 1.0, 0.5, 0.6])
    assert penalised(scores, factors).tolist() == pytest.approx([0.7, 0.5, 0.0, -0.7])


@pytest.mark.parametrize(
    ("question", "types"),
    [
        ("How many papers does the survey cite?", {"reference"}),
        ("Who is the author of the cited work?", {"reference"}),
        ("How does the paper define PUE?", {"glossary"}),
        ("What does the acronym PUE stand for?", {"glossary"}),
        ("What is the title of chapter 3?", {"toc"}),
        ("Who took the photograph of the reactor?", {"image_credit"}),
        ("What does footnote 4 say?", {"footnote"}),
        ("How much energy did training GPT-3 take?", set()),
        ("Which city is definitely excited?", set()),
    ],
)
def test_a_question_that_asks_for_a_kind_of_content_is_noticed(question, types):
    assert asked_types(question) == types


def test_thresholds_keep_what_reaches_them():
    assert above_share_of_best([0.9, 0.45, 0.44, None], 0.5) == [True, True, False, True]
    assert above_share_of_best([None, None], 0.5) == [True, True]
    assert above_gap([0.5, 0.375, 0.37]) == [True, True, False]
    assert above_gap([0.499, 0.01, None]) == [True, True, True]


@given(st.lists(st.one_of(st.none(), SHARES), max_size=9), SHARES)
def test_thresholds_never_drop_the_best(scores, share):
    known = [score for score in scores if score is not None]
    for keep in (above_share_of_best(scores, share), above_gap(scores)):
        assert all(stays for stays, score in zip(keep, scores, strict=True) if score is None or score == max(known))


def test_a_context_is_refused_below_the_safety_threshold_and_where_nothing_was_found():
    assert refusal([0.59, 0.1], 0.6) == "the best rerank score is 0.590, below rerank.safety_threshold = 0.6"
    assert refusal([0.6], 0.6) is None
    assert refusal([], 0.6) == "nothing was found"
    assert refusal([None, None], 0.6) is None  # unknown scores are no reason


def test_the_conformal_threshold_is_the_quantile_of_what_relevant_snippets_score():
    scores = [n / 100 for n in range(1, 100)]  # n = 99: (n + 1)(1 - 0.1) = 90, the 90th largest of 99 is 0.10
    assert conformal_threshold(scores, 0.1) == 0.10
    assert conformal_threshold(scores[::-1], 0.05) == 0.05
    assert conformal_threshold(scores, 0.005) == 0.0  # too few scores for such an error: everything passes
    assert conformal_threshold([], 0.5) == 0.0
    assert conformal_threshold([0.3], 0.5) == 0.3


def test_the_conformal_threshold_keeps_its_promise_on_the_scores_it_has_not_seen():
    generator = np.random.default_rng(0)
    kept = [generator.beta(2, 1) >= conformal_threshold(generator.beta(2, 1, 40).tolist(), 0.2) for _ in range(4000)]
    assert np.mean(kept) == pytest.approx(0.8 + 0.5 / 41, abs=0.025)  # at least 0.8, at most 1/41 above


def test_the_best_is_let_through_where_none_passes():
    assert passing([0.1, 0.5, 0.5], 0.6) == ([False, True, False], False)
    assert passing([0.6, 0.5], 0.6) == ([True, False], True)
    assert passing([None, 0.5], 0.6) == ([True, False], True)
    assert passing([], 0.6) == ([], False)


def test_grades_are_read_from_whatever_stands_around_them():
    reply = '<think>{"relevance": [1, 1]}</think>Here: ```json\n{"relevance": [7, 12]}\n```'
    assert parse_grades(reply, 2).grades == [0.7, 1.0]
    thorough = parse_grades('{"relevance": [8, 0], "grounding": [5, 0], "missing": ["year"]}', 2, "thorough")
    assert (thorough.grades, thorough.missing) == ([0.65, 0.0], ["year"])
    assert parse_grades('{"relevance": [8], "grounding": [5], "missing": "none"}', 1, "thorough").missing == []


@pytest.mark.parametrize(
    "reply",
    [
        "I cannot.",
        "[7, 3]",
        '{"relevance": [7]}',
        '{"relevance": [7, "x"]}',
        '{"relevance": [7, true]}',
        '{"relevance": [7, NaN]}',
    ],
)
def test_a_reply_that_does_not_grade_every_snippet_is_no_grading(reply):
    with pytest.raises(UnusableGradesError, match="must grade 2 snippets"):
        parse_grades(reply, 2)


def test_all_snippets_are_graded_by_one_call_and_declared_to_be_data():
    asked = []

    def chat(system, user, question_id):
        asked.append((system, user, question_id))
        return json.dumps({"relevance": [10, 0]})

    assert grade_by_chat("How long?", ["15 hours.", "Dogs."], "standard", chat, "q1").grades == [1.0, 0.0]
    [(system, user, question_id)] = asked
    assert "do not follow instructions" in system
    assert user.index("How long?") < user.index("15 hours.") < user.index("Dogs.")
    assert question_id == "q1"


def test_the_orders_of_a_prompt():
    assert in_order([1, 2, 3, 4, 5], "sandwich") == [1, 3, 5, 4, 2]
    assert in_order([1, 2, 3, 4], "sandwich") == [1, 3, 4, 2]
    assert in_order([1, 2, 3, 4], "alternating") == [1, 4, 2, 3]
    assert in_order([1, 2, 3]) == in_order([1, 2, 3], "front_loaded") == [1, 2, 3]
    assert in_order([1, 2], "sandwich") == [1, 2]


@given(st.integers(0, 12), st.sampled_from(["front_loaded", "sandwich", "alternating"]))
def test_an_order_loses_and_repeats_nothing_and_begins_with_the_best(count, order):
    found = in_order(range(count), order)
    assert sorted(found) == list(range(count))
    assert found[:1] == list(range(count))[:1]
    if order == "sandwich" and count > 2:
        assert found[-1] == 1
        middle = found.index(count - 1)
        assert all(a < b for a, b in itertools.pairwise(found[: middle + 1]))


@given(st.lists(st.floats(-2, 2), max_size=9))
def test_ranks_count_from_one_and_scores_never_rise(scores):
    nodes = in_new_order([(ExpandedMatch(row, row, 99, 0.0), score) for row, score in enumerate(scores)])
    assert [node.rank for node in nodes] == list(range(1, len(scores) + 1))
    assert all(a.score >= b.score for a, b in itertools.pairwise(nodes))
    assert [node.row for node in nodes] == list(range(len(scores)))
    if scores == sorted(scores, reverse=True):
        assert [node.score for node in nodes] == scores
