"""Questions that two values answer."""

import pytest

from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.reader.steps.asked import steps_of


def found(value, quote="a quote", document="d", confidence=0.8):
    return Finding(value, quote, (document,), confidence)


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("By how much did the fee fall from 2021 to 2022?", "What was the fee in 2021?", "What was the fee in 2022?"),
        ("By how much was Ann's bid lower than Bob's?", "What was Ann's bid?", "What was Bob's bid?"),
        (
            "What is the difference between the price of the van and the price of the bus?",
            "What is the price of the van?",
            "What is the price of the bus?",
        ),
        ("How many more cups did Ann sell than Bob?", "How many cups did Ann sell?", "How many cups did Bob sell?"),
        ("How many cups more than Bob did Ann sell?", "How many cups did Ann sell?", "How many cups did Bob sell?"),
    ],
)
def test_a_difference_is_asked_of_both_things_and_has_no_sign(question, one, other):
    steps = steps_of(question)
    assert steps.questions == (one, other)
    assert steps.result([found("3"), found("7.5")]).value == "4.5"


def test_a_sum_adds_both_and_quotes_both():
    steps = steps_of("For how much did the shop sell bread and cheese together in May?")
    assert steps.questions == (
        "For how much did the shop sell bread in May?",
        "For how much did the shop sell cheese in May?",
    )
    result = steps.result([found("10", "Bread: 10", "a", 0.5), found("5", "Cheese: 5", "b", 0.5)])
    assert result == Finding("15", "Bread: 10 … Cheese: 5", ("a", "b"), 0.25)


@pytest.mark.parametrize(
    ("claim", "value", "expected"),
    [
        ("Was the rent below 900 euros in 2023?", "850", "1"),
        ("Was the rent below 900 euros in 2023?", "900", "0"),
        ("True or false: The rent was at least 900 euros in 2023.", "900", "1"),
        ("True or false: The rent was no more than 900 euros.", "901", "0"),
    ],
)
def test_a_comparison_with_a_stated_bound_reads_the_value_and_compares(claim, value, expected):
    steps = steps_of(claim)
    assert steps.stated == 900
    assert steps.unit == "euros"
    assert steps.questions[0].startswith("What was the rent")
    assert steps.result([found(value)]).value == expected


@pytest.mark.parametrize(
    ("claim", "questions", "values", "expected"),
    [
        (
            "Was the fee of the club in 2024 below that of 2023?",
            ("What was the fee of the club in 2024?", "What was the fee of the club in 2023?"),
            ("20", "25"),
            "1",
        ),
        (
            "True or false: The fee of the club is higher than that of the choir.",
            ("What is the fee of the club?", "What is the fee of the choir?"),
            ("20", "25"),
            "0",
        ),
        ("True or false: The walk took longer than two hours.", ("How long did the walk take?",), ("2.5",), "1"),
        ("True or false: The parcel weighs less than 3.5 kg.", ("How much does the parcel weigh?",), ("4",), "0"),
    ],
)
def test_a_comparison_of_two_values_reads_both_and_one_of_a_duration_the_duration(claim, questions, values, expected):
    steps = steps_of(claim)
    assert steps.questions == questions
    assert steps.result([found(value) for value in values]).value == expected


@pytest.mark.parametrize(
    "question", ["How much is the rent?", "Who is taller than Ann?", "True or false: It rains more than ever.", ""]
)
def test_a_question_that_one_value_answers_has_no_steps(question):
    assert steps_of(question) is None


def test_without_both_values_or_with_a_value_that_is_no_number_there_is_no_result():
    steps = steps_of("By how much was Ann's bid lower than Bob's?")
    assert steps.result([found("3"), None]) is None
    assert steps.result([found("3"), found("unknown")]) is None


def test_the_unit_of_a_stated_bound_is_the_one_that_is_read():
    units = [steps_of(f"Was the fee below {bound}?").unit for bound in ("£900", "900 euros", "two hours", "1.5")]
    assert units == ["£", "euros", "hours", None]
