"""The vote on one question, in every mode, with blanks and ties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.decide import decide
from kohaku_lib.settings import EnsembleSettings

MODES = (
    "independent",
    "ref_priority",
    "answer_priority",
    "union",
    "intersection",
    "majority",
    "first_non_blank",
)


def ballots(*votes):
    return [Ballot(f"m{place}", value, tuple(refs.split())) for place, (value, refs) in enumerate(votes)]


def outcome(votes, weights=None, **settings):
    decision = decide(ballots(*votes), EnsembleSettings(**{"ignore_blank": True, **settings}), "q1", weights)
    return decision.value, decision.refs


SPLIT = [("7", "a"), ("8", "b"), ("8", "b c"), ("8", "c b"), ("is_blank", "a"), ("7", "a")]


@pytest.mark.parametrize(
    ("mode", "value", "refs"),
    [
        ("independent", "8", ("a",)),  # a and {b,c} are cited twice each by those who answer: the earliest
        ("ref_priority", "7", ("a",)),
        ("answer_priority", "8", ("b", "c")),
        ("union", "8", ("b", "c")),
        ("intersection", "8", ("b",)),
        ("majority", "8", ("a", "b", "c")),
        ("first_non_blank", "7", ("a",)),
    ],
)
def test_each_mode_joins_values_and_references_in_its_way(mode, value, refs):
    assert outcome(SPLIT, ref_mode=mode) == (value, refs)


def test_references_are_sets_and_keep_the_order_of_their_first_writer():
    votes = [("7", "b a"), ("7", "c"), ("7", "A b")]
    assert outcome(votes, ref_mode="answer_priority") == ("7", ("b", "a"))


def test_an_intersection_without_common_references_falls_back_to_the_most_cited():
    assert outcome([("7", "a"), ("7", "b"), ("7", "b")], ref_mode="intersection") == ("7", ("b",))


def test_members_without_references_do_not_empty_an_intersection():
    assert outcome([("7", ""), ("7", "a b"), ("7", "b")], ref_mode="intersection") == ("7", ("b",))


def test_values_are_compared_as_values():
    assert outcome([("9", "a"), ("13900", "b"), ("13,900", "b")]) == ("13900", ("b",))


def test_of_values_that_agree_the_one_most_often_written_is_given():
    assert outcome([("55.6", "a"), ("55.56", "a"), ("55.56", "a")])[0] == "55.56"


BLANKS = [("is_blank", ""), ("", ""), ("7", "a")]


def test_blanks_are_ignored_while_anyone_answers():
    assert outcome(BLANKS, ignore_blank=True) == ("7", ("a",))


def test_blanks_count_where_they_are_kept():
    assert outcome(BLANKS, ignore_blank=False) == ("is_blank", ())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ignore_blank", [True, False])
def test_all_blank_stays_blank_without_references(mode, ignore_blank):
    decision = decide(
        ballots(("", "a"), ("is_blank", "a")), EnsembleSettings(ref_mode=mode, ignore_blank=ignore_blank), "q1"
    )
    assert (decision.value, decision.refs, decision.base, decision.agreement) == ("is_blank", (), None, 1.0)


def test_a_blank_winner_has_no_references_in_any_mode():
    for mode in MODES[:-1]:
        votes = [("", "a"), ("", "a"), ("7", "b")]
        assert outcome(votes, ref_mode=mode, ignore_blank=False) == ("is_blank", ())


def test_first_non_blank_passes_over_blanks_even_where_they_are_kept():
    assert outcome([("", "a"), ("7", "b"), ("", "a")], ref_mode="first_non_blank", ignore_blank=False) == ("7", ("b",))


TIE = [("7", "a"), ("8", "b"), ("8", "b"), ("7", "a"), ("9", "c")]


def test_a_tie_goes_to_the_earliest():
    assert outcome(TIE, tie_break="first") == ("7", ("a",))


def test_a_tie_for_the_first_place_can_blank_the_row():
    for mode in MODES[:-1]:
        assert outcome(TIE, tie_break="blank", ref_mode=mode) == ("is_blank", ())
    assert outcome([*TIE, ("8", "b")], tie_break="blank") == ("8", ("b",))


def test_a_single_vote_is_no_tie():
    assert outcome([("7", "a")], tie_break="blank") == ("7", ("a",))


def test_a_random_tie_depends_on_seed_and_question_and_reaches_every_candidate():
    drawn = {decide(ballots(*TIE), EnsembleSettings(tie_break="random", seed=seed), "q1").value for seed in range(20)}
    assert drawn == {"7", "8"}
    by_question = [decide(ballots(*TIE), EnsembleSettings(tie_break="random"), f"q{n}").value for n in range(20)]
    assert set(by_question) == {"7", "8"}
    assert by_question == [
        decide(ballots(*TIE), EnsembleSettings(tie_break="random"), f"q{n}").value for n in range(20)
    ]


def test_agreement_is_the_share_of_the_counted_votes():
    assert decide(ballots(*SPLIT), EnsembleSettings(ignore_blank=True)).agreement == 3 / 5
    assert decide(ballots(*SPLIT), EnsembleSettings(ignore_blank=False)).agreement == 3 / 6


def test_weights_decide_over_numbers():
    assert outcome([("7", "a"), ("8", "b"), ("8", "b")], weights={"m0": 3.0}) == ("7", ("a",))


def test_no_ballot_is_a_blank():
    assert decide([], EnsembleSettings()).value == "is_blank"


def test_the_base_is_the_first_who_holds_value_and_references():
    decision = decide(ballots(("7", "a"), ("7", "b"), ("7", "b")), EnsembleSettings(ref_mode="answer_priority"))
    assert decision.base is not None
    assert decision.base.member == "m1"


VOTES = st.lists(
    st.tuples(st.sampled_from(["", "1", "2", "x"]), st.sampled_from(["", "a", "a b"])), min_size=1, max_size=7
)


@given(VOTES, st.sampled_from(MODES), st.sampled_from(["first", "blank", "random"]), st.booleans())
def test_whoever_votes_the_outcome_is_somebodys_value_and_cited_references(votes, mode, tie_break, ignore_blank):
    value, refs = outcome(votes, ref_mode=mode, tie_break=tie_break, ignore_blank=ignore_blank)
    assert value == "is_blank" or value in {vote[0] for vote in votes}
    assert set(refs) <= {ref for vote in votes for ref in vote[1].split()}


@given(VOTES, st.sampled_from(MODES))
def test_a_unanimous_vote_is_the_same_in_every_mode(votes, mode):
    value, refs = outcome([votes[0]] * len(votes), ref_mode=mode)
    assert (value, refs) == ((votes[0][0], tuple(votes[0][1].split())) if votes[0][0] else ("is_blank", ()))


@given(VOTES)
def test_without_ties_a_plain_majority_wins(votes):
    answered = [value for value, _ in votes if value]
    counts = {value: answered.count(value) for value in answered}
    leaders = [value for value, count in counts.items() if count == max(counts.values())]
    if len(leaders) == 1:
        assert outcome(votes, tie_break="blank")[0] == leaders[0]
