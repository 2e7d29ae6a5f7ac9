"""Votes by the highest expected score, on one question and on many."""

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kohaku_lib.evaluation import vote_rows
from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.belief import Belief, Reliability
from kohaku_lib.evaluation.voting.expected_score import decide_by_score
from kohaku_lib.evaluation.voting.members import find_broken
from kohaku_lib.evaluation.voting.polls import take_poll
from kohaku_lib.settings import EnsembleSettings

PLAIN = Reliability(right=0.6, blank=0.2, abstains=0.9, cites=0.8)


def decision(votes, values, none=0.0, unanswerable=0.0, members=None, sources=None):
    poll = take_poll([Ballot(f"m{place}", value, tuple(refs.split())) for place, (value, refs) in enumerate(votes)])
    cited = dict.fromkeys((ref for refs in poll.refs for ref in refs), 0.3)
    belief = Belief(values, none, unanswerable, sources or cited)
    return decide_by_score(poll, belief, members or [PLAIN] * len(votes))


def test_the_likeliest_value_wins_whoever_are_more():
    found = decision([("7", "a"), ("8", "b"), ("8", "b")], (0.6, 0.4))
    assert (found.value, found.probability, found.agreement) == ("7", 0.6, pytest.approx(1 / 3))


def test_a_blank_wins_where_no_answer_is_much_likelier_than_any_value():
    votes = [("7", "a"), ("is_blank", ""), ("is_blank", "")]
    assert decision(votes, (0.3,), 0.25, 0.45).value == "7"  # 0.75 × 0.3 is more than 0.475 × 0.45
    blank = decision(votes, (0.2,), 0.25, 0.55)
    assert (blank.value, blank.base, blank.probability) == ("is_blank", None, 0.55)
    assert blank.agreement == pytest.approx(2 / 3)


def test_a_value_inside_a_likely_range_serves_both_truths():
    votes = [("[80,90]", "a"), ("85", "a"), ("70", "a")]
    found = decision(votes, (0.4, 0.25, 0.35))
    assert (found.value, found.probability) == ("85", 0.65)
    assert decision([("[80,90]", "a"), ("95", "a"), ("70", "a")], (0.4, 0.25, 0.35)).value == "[80,90]"


def test_no_candidate_is_a_blank():
    assert decision([("is_blank", ""), ("", "")], (), 0.5, 0.5).value == "is_blank"


@pytest.mark.parametrize(
    ("cited", "refs"),
    [
        (["a", "a", "b"], ("a",)),
        (["a b", "a b", "a b"], ("a", "b")),  # of a, b and ab with 0.3, 0.3 and 1: ab earns 1.3, a 0.8
        (["a", "a", ""], ("a",)),
        (["", "", ""], ()),
    ],
)
def test_references_maximise_the_expected_overlap(cited, refs):
    assert decision([("7", cell) for cell in cited], (1.0,)).refs == refs


def test_a_source_that_is_believed_in_is_cited_alone():
    votes = [("7", "a b"), ("7", "a c"), ("7", "b")]
    # weights: a 0.8, b 0.15, c 0.05, and a third each of ab, ac and b: a earns 0.8 + 1/3, ab 0.95 / 2 + 1/3 + 1/9 + 1/6
    assert decision(votes, (1.0,), sources={"a": 0.8, "b": 0.15, "c": 0.05}).refs == ("a",)
    assert decision(votes, (1.0,), sources={"a": 0.3, "b": 0.6, "c": 0.1}).refs == ("b",)


def test_references_of_members_that_cite_well_count_more():
    good, poor = Reliability(0.6, 0.2, 0.9, 0.95), Reliability(0.6, 0.2, 0.9, 0.4)
    found = decision([("7", "a"), ("7", "b"), ("7", "b")], (1.0,), members=[good, poor, poor])
    assert found.refs == ("a",)


def test_references_of_a_member_that_repeats_others_count_its_share():
    votes = [("7", "a"), ("7", "b"), ("7", "b")]
    sources = {"a": 0.5, "b": 0.5}
    half = Reliability(0.6, 0.2, 0.9, 0.8, share=0.4)
    assert decision(votes, (1.0,), sources=sources).refs == ("b",)
    assert decision(votes, (1.0,), members=[PLAIN, half, half], sources=sources).refs == ("a",)


def test_references_are_spelled_as_first_cited():
    assert decision([("7", "Wu2021"), ("7", "wu2021")], (1.0,)).refs == ("Wu2021",)


def test_a_blank_has_no_references():
    votes = [("is_blank", "a"), ("is_blank", "a"), ("is_blank", "a")]
    assert decision(votes, (), 0.8, 0.2).refs == ()


def test_the_base_is_the_first_voter_with_the_same_references():
    found = decision([("7", "b"), ("8", "a"), ("7", "a"), ("7", "a")], (0.9, 0.1))
    assert found.base is not None
    assert (found.base.member, found.refs) == ("m2", ("a",))


SETTINGS = EnsembleSettings()


def outcomes(runs):
    table, report = vote_rows(runs, SETTINGS)
    rows = {row["id"]: (row["answer_value"], tuple(sorted(row["ref_id"]))) for row in table.to_pylist()}
    return rows, report


def run(values, refs=None):
    asked = {"question": "How much?", "answer_unit": "kg"}
    cited = refs or ["['a']"] * len(values)
    return [
        {"id": f"q{n}", "answer_value": value, "ref_id": ref, "explanation": value, **asked}
        for n, (value, ref) in enumerate(zip(values, cited, strict=True))
    ]


CELLS = st.tuples(
    st.sampled_from(["is_blank", "1", "2", "3,000", "3k", "x"]), st.sampled_from(["[]", "['a']", "['a','b']"])
)
POOLS = st.integers(2, 5).flatmap(
    lambda members: st.lists(st.lists(CELLS, min_size=12, max_size=12), min_size=members, max_size=members)
)


def runs_of(pool):
    return {
        f"m{place}": run([value for value, _ in cells], [refs for _, refs in cells]) for place, cells in enumerate(pool)
    }


@settings(max_examples=30)
@given(POOLS)
def test_whatever_is_unanimous_wins(pool):
    runs = runs_of(pool)
    for rows in runs.values():
        rows[0] |= {"answer_value": "55", "ref_id": "['c']"}
    assert outcomes(runs)[0]["q0"] == ("55", ("c",))


@settings(max_examples=30)
@given(POOLS)
def test_every_outcome_is_somebodys_value_with_cited_references(pool):
    rows, _ = outcomes(runs_of(pool))
    for place, (value, refs) in enumerate(rows.values()):
        voted = {cells[place][0] for cells in pool}
        assert value == "is_blank" or value in voted | {"3000"}
        assert set(refs) <= {"a", "b"}


@settings(max_examples=30)
@given(POOLS, st.randoms(use_true_random=False))
def test_the_order_of_members_decides_exact_ties_only(pool, draw):
    runs = runs_of(pool)
    names = list(runs)
    draw.shuffle(names)
    table, _ = vote_rows(runs, SETTINGS)
    turned, _ = vote_rows({name: runs[name] for name in names}, SETTINGS)
    for first, second in zip(table.to_pylist(), turned.to_pylist(), strict=True):
        assert first["probability"] == pytest.approx(second["probability"])


@settings(max_examples=30)
@given(POOLS)
def test_a_copy_of_each_member_changes_nothing(pool):
    runs = runs_of(pool)
    assume(not find_broken(runs))  # a run that is blank throughout is left out as broken, and so is its copy
    copies = {f"{name} again": rows for name, rows in runs.items()}
    rows, report = outcomes(runs | copies)
    assert rows == outcomes(runs)[0]
    assert sum("is a copy of" in problem for problem in report.problems) >= len(runs)


def crowd(accuracies, n=40, seed=3):
    draw = random.Random(seed)
    truth = [str(draw.randint(10_000, 99_999)) for _ in range(n)]
    return truth, {
        f"m{k}": run([v if draw.random() < a else str(draw.randint(100_000, 999_999)) for v in truth])
        for k, a in enumerate(accuracies)
    }


BROKEN = {
    "blank": lambda truth: run(["is_blank"] * len(truth)),
    "shuffled": lambda truth: run(truth[7:] + truth[:7]),
    "random": lambda truth: run([f"0.{n}1" for n in range(len(truth))]),
    "empty": lambda truth: [],
    "other questions": lambda truth: [row | {"question": f"Who {n}?"} for n, row in enumerate(run(truth))],
    "other ids": lambda truth: [row | {"id": f"z{n}"} for n, row in enumerate(run(truth))],
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_member_is_named_and_changes_nothing(name):
    truth, runs = crowd([0.9, 0.8, 0.7, 0.6])
    rows, report = outcomes(runs | {name: BROKEN[name](truth)})
    assert rows == outcomes(runs)[0]
    assert len(report.problems) == 1
    assert f"{name!r} was excluded from the vote" in report.problems[0]


@pytest.mark.parametrize("stated", ["x", "y"])
def test_of_two_equal_votes_the_one_that_its_own_words_state_wins(stated):
    truth, runs = crowd([1.0, 1.0, 1.0, 1.0], n=24)
    for place in range(24):  # one member after the other strays, and says something else than it gives
        runs[f"m{place % 4}"][place] |= {"answer_value": str(200_000 + 7 * place), "explanation": "It is not said."}
    pair = {name: run([*truth, value]) for name, value in (("x", "31"), ("y", "47"))}
    for name, rows in pair.items():
        rows[-1]["explanation"] = f"It was {rows[-1]['answer_value']} kg." if name == stated else "It is not said."
    rows, _ = outcomes(runs | pair)
    assert rows["q24"][0] == {"x": "31", "y": "47"}[stated]


def test_one_strong_member_is_heard_among_weak_ones():
    truth, runs = crowd([0.95, 0.95, 0.3, 0.3, 0.3, 0.3, 0.3])
    rows, report = outcomes(runs)
    right = sum(rows[f"q{n}"][0] == value for n, value in enumerate(truth))
    assert right >= 36
    assert report.metrics["weight of m0"] > report.metrics["weight of m2"] + 2


def test_two_runs_that_repeat_a_weak_one_do_not_overrule_the_others():
    truth, runs = crowd([0.9, 0.85, 0.8, 0.8, 0.35])
    samples = {f"s{k}": [row | {"explanation": f"{row['answer_value']} {k}"} for row in runs["m4"]] for k in range(2)}
    rows, _ = outcomes(runs | samples)
    alone, _ = outcomes(runs)
    assert sum(rows[key] != alone[key] for key in rows) <= 2
    assert len(truth) == len(rows)


def test_a_question_that_nobody_was_asked_twice_keeps_the_only_answer():
    rows, _ = outcomes({"x": run(["1", "2"]), "y": run(["1"])})
    assert rows["q1"] == ("2", ("a",))


def test_the_probability_is_kept_with_the_vote():
    table, _ = vote_rows({"x": run(["1"]), "y": run(["1"]), "z": run(["2"])}, SETTINGS)
    [row] = table.to_pylist()
    assert row["agreement"] == pytest.approx(2 / 3)
    assert 0.5 < row["probability"] < 1.0
    plain, _ = vote_rows({"x": run(["1"])}, SETTINGS)
    assert plain.column("probability").to_pylist() == [None]
