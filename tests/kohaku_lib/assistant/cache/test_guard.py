"""The guard lets paraphrases through and stops questions that ask for another number, unit, name or direction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.assistant.cache.guard import ask_the_same

BASE = "How much energy did the GShard-600B model use for training in 2020, in MWh?"


@pytest.mark.parametrize(
    "paraphrase",
    [
        "How many MWh of energy went into training the GShard-600B model in 2020?",
        "In 2020, how much energy in MWh did training the model GShard-600B use?",
        "how much electricity did GShard-600B use for its training in 2020 (in MWh)?",
    ],
)
def test_a_paraphrase_asks_the_same(paraphrase):
    assert ask_the_same(BASE, paraphrase)


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("2020", "2021"),
        BASE.replace("MWh", "kWh"),
        BASE.replace("GShard-600B", "GPT-3"),
        BASE.replace("energy", "water"),
        BASE.replace("training", "inference"),
        BASE.replace("did the", "did the largest"),
        BASE.replace(" in 2020", ""),
        BASE.replace("did the GShard-600B model use", "did the GShard-600B model not use"),
        "Who used the GShard-600B model for training in 2020?",
    ],
)
def test_another_question_does_not(other):
    assert not ask_the_same(BASE, other)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Which site used the most water?", "Which site used the least water?"),
        ("Did emissions rise in Iowa?", "Did emissions fall in Iowa?"),
        ("Are there three sites?", "Are there four sites?"),
        ("When was it built?", "Where was it built?"),
        ("What happened before the rebuilding?", "What happened after the rebuilding?"),
    ],
)
def test_questions_of_opposite_direction_are_not_the_same(first, second):
    assert not ask_the_same(first, second)


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_guard_is_symmetric_and_lets_a_question_be_itself(first, second):
    assert ask_the_same(first, first)
    assert ask_the_same(first, second) == ask_the_same(second, first)
