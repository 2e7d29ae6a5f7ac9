"""The clause that speaks of a claim, words that turn it, and the stretch of a sentence that belongs to a number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.claims.claims import clause_about, judge_claim
from kohaku_lib.answering.extractive.claims.denials import is_diminished, is_negated_by_prefix
from kohaku_lib.answering.extractive.claims.opposites import count_opposites
from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.answering.extractive.question.asked_unit import states_unit, unit_in
from kohaku_lib.answering.extractive.question.question import options_in, read_question
from kohaku_lib.answering.extractive.text import content_stems, tokens_of
from kohaku_lib.tables import Question


def _verdict(claim, text):
    return judge_claim(read_question(Question("q", f"True or False: {claim}")), [text])


@given(st.text(alphabet="ab cd.,", max_size=80))
def test_a_clause_is_a_stretch_of_its_text(text):
    clause = clause_about(tokens_of(text), text, {"ab": 0.5, "cd": 0.5})
    assert clause in text


def test_a_clause_without_any_weight_is_the_whole_text():
    assert clause_about(tokens_of("It rains."), "It rains.", {}) == "It rains."


def test_a_light_word_far_away_does_not_stretch_the_clause():
    text = "Boats must report their fuel, while of everything else that floats on the river nobody knows a fuel."
    assert (
        clause_about(tokens_of(text), text, {"boat": 0.4, "report": 0.4, "river": 0.1}, margin=0) == "Boats must report"
    )


@pytest.mark.parametrize(
    ("claim", "text", "value"),
    [
        ("The costs are evenly spread over the towns.", "The costs are unevenly spread over the towns.", "0"),
        ("The costs are evenly spread over the towns.", "The costs are evenly spread over the towns.", "1"),
        ("The crew becomes less tired as the wind continues.", "As the wind continues, the crew becomes tired.", "0"),
        (
            "Most of the boats were built in the harbour town.",
            "Most of the boats were built outside the harbour town.",
            "0",
        ),
        ("The harbour abandoned the old cranes.", "The harbour maintained the old cranes.", "0"),
        (
            "Under the river law, boats must report their fuel.",
            "While the river law mandates that boats report their fuel, nothing else that floats has no such duty.",
            "1",
        ),
    ],
)
def test_claims_are_judged_by_the_clause_that_speaks_of_them(claim, text, value):
    assert _verdict(claim, text) == value


@pytest.mark.parametrize(
    ("one", "other", "denies"),
    [
        ("It is stable.", "It is unstable.", True),
        ("It is disconnected.", "It is connected.", True),
        ("It is under water.", "It is water.", False),
        ("It is stable and unstable.", "It is unstable.", False),
    ],
)
def test_a_prefix_that_turns_a_word_denies(one, other, denies):
    assert is_negated_by_prefix(one, other) == is_negated_by_prefix(other, one) == denies


def test_less_counts_on_either_side_but_not_in_comparisons():
    assert is_diminished("It is hardly busy.", "It is busy.")
    assert is_diminished("It is busy.", "It is rarely busy.")
    assert not is_diminished("It is hardly busy.", "It is hardly busy.")
    assert not is_diminished("It uses less fuel than the tug.", "The tug uses more fuel.")


@pytest.mark.parametrize(
    ("claim", "evidence", "count"),
    [
        ("they met their targets", "they would miss their targets", 1),
        ("it shortens the trip", "it leads to a longer trip", 1),
        ("the rules were kept", "the rules were kept", 0),
    ],
)
def test_verbs_and_adjectives_of_one_scale_are_opposed(claim, evidence, count):
    assert count_opposites(content_stems(claim), content_stems(evidence)) == count


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It grew by15.2× there", [15.2]),
        ("a total of70 tons", [70.0]),
        ("a g4dn, an mp3, top5", []),
        ("of 10 %", [10.0]),
    ],
)
def test_numbers_glued_to_a_small_word_are_read(text, values):
    assert [one.low for one in quantities_in(text)] == values


def test_an_instruction_tells_the_unit():
    assert states_unit("What is the net value? Answer in USD billions.")
    assert not states_unit("What is the net value in spring?")
    unit = unit_in("What is the net value? Answer in USD billions.")
    assert unit is not None
    assert (unit.measure, unit.factor) == ("usd", 1e9)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Which is larger: the mole, the pier, or the quay?", ("mole", "pier", "quay")),
        ("Which is larger, the mole or the pier?", ("mole", "pier")),
        ("Which is the largest mole?", ()),
    ],
)
def test_options_are_read_without_their_articles(question, options):
    assert options_in(question) == options


def test_a_long_list_that_names_no_alternatives_takes_no_time_that_doubles_with_each_item():
    assert options_in("Which is highest among " + ", ".join(f"peak {number}" for number in range(60)) + "?") == ()
