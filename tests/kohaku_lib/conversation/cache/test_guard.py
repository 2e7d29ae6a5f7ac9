"""The guard lets paraphrases through and stops questions that ask for another number, unit, name or direction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.conversation.cache.guard import ask_the_same

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


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("How much oil did we ship to Norway?", "How much oil did we ship from Norway?"),
        ("Which arguments were made for the merger?", "Which arguments were made against the merger?"),
        ("Which plots were sold to Meyer?", "Which plots were bought from Meyer?"),
        ("Who is the treasurer of the club?", "Who is the deputy treasurer of the club?"),
        ("Who is the chair of the board?", "Who is the former chair of the board?"),
        ("What is paid by the tenant?", "What is paid to the tenant?"),
        ("How do I turn the heating on?", "How do I turn the heating off?"),
        ("How many parcels did we receive in May?", "How many parcels did we send in May?"),
        ("Does the warranty cover batteries?", "Does the warranty exclude batteries?"),
    ],
)
def test_questions_that_differ_by_a_direction_word_are_not_the_same(first, second):
    assert not ask_the_same(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Does Ann report to Bob?", "Does Bob report to Ann?"),
        ("What does the lessor owe the lessee?", "What does the lessee owe the lessor?"),
        ("How long is the drive from Bonn to Ulm?", "How long is the drive from Ulm to Bonn?"),
        ("Which company acquired Acme?", "Which company was acquired by Acme?"),
        ("Who sued Acme?", "Who was sued by Acme?"),
        ("Which firm did Acme acquire?", "Which firm acquired Acme?"),
        ("Which team lost to Leeds?", "Which team did Leeds lose to?"),
    ],
)
def test_questions_of_the_same_words_in_other_roles_are_not_the_same(first, second):
    assert not ask_the_same(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Which company acquired Acme?", "By which company was Acme acquired?"),
        ("How do I reset my password?", "How can my password be reset?"),
        ("Do Meena, T5 or BERT need more?", "Do BERT, T5 or Meena need more?"),
    ],
)
def test_the_voice_and_the_order_of_a_list_make_no_other_question(first, second):
    assert ask_the_same(first, second)


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_guard_is_symmetric_and_lets_a_question_be_itself(first, second):
    assert ask_the_same(first, first)
    assert ask_the_same(first, second) == ask_the_same(second, first)
