"""Questions that two values answer."""

import pytest

from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.reader.steps import steps_of


def found(value, quote="a quote", document="d", confidence=0.8):
    return Finding(value, quote, (document,), confidence)


@pytest.mark.parametrize(
    ("question", "one", "other", "value"),
    [
        ("By how much was Ann's bid lower than Bob's?", "What was Ann's bid?", "What was Bob's bid?", "4.5"),
        (
            "What is the difference between the price of the van and the price of the bus?",
            "What is the price of the van?",
            "What is the price of the bus?",
            "4.5",
        ),
        (
            "For how much did the shop sell bread and cheese together in May?",
            "For how much did the shop sell bread in May?",
            "For how much did the shop sell cheese in May?",
            "10.5",
        ),
    ],
)
def test_both_values_are_asked_for_and_quoted_and_a_difference_has_no_sign(question, one, other, value):
    steps = steps_of(question)
    assert steps.questions == (one, other)
    result = steps.result([found("3", "Bread: 3", "a", 0.5), found("7.5", "Cheese: 7.5", "b", 0.5)])
    assert result == Finding(value, "Bread: 3 … Cheese: 7.5", ("a", "b"), 0.25)


@pytest.mark.parametrize("question", ["How much is the rent?", "Who is taller than Ann?", ""])
def test_a_question_that_one_value_answers_has_no_steps(question):
    assert steps_of(question) is None


@pytest.mark.parametrize("other", [None, found("unknown"), found("[1,2]")])
def test_without_two_numbers_there_is_no_result(other):
    assert steps_of("By how much was Ann's bid lower than Bob's?").result([found("3"), other]) is None
