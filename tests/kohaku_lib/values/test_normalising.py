"""Answers in the plain form that the metrics read."""

import pytest

from kohaku_lib.values import normalise_answer


@pytest.mark.parametrize(
    ("question", "value", "plain"),
    [
        ("How many?", "", "is_blank"),
        ("How many?", None, "is_blank"),
        ("How many?", "null", "is_blank"),
        ("True or False: it rains.", "True", "1"),
        ("True or false: it rains.", "The claim is FALSE.", "0"),
        ("True/False: it rains.", "True, not false", "True, not false"),
        ("True or False: it rains.", "1", "1"),
        ("True or False: it rains.", "yes", "1"),
        ("Does it rain?", "Yes", "1"),
        ("How many models?", "about 13,900", "13900"),
        ("How many parameters does it have?", "7B", "7000000000"),
        ("Which model is the largest?", "7B", "7B"),
        ("What is the name of the model?", "GPT-3", "GPT-3"),
        ("What percentage?", "80–90%", "[80,90]"),
        ("What range?", "300 Watts to 1 Kilowatt", "[300,1000]"),
        ("What was the change?", "-5", "-5"),
        ("What is the range?", "-5 to 3", "[-5,3]"),
        ("In which period was it?", "2020-2021", "2020-2021"),
        ("When was it?", "2020–2021", "2020–2021"),
        ("What is the range of years?", "2020-2021", "[2020,2021]"),
        ("How much?", "80.0", "80"),
        ("How many models were tested?", "40 models", "40"),
        ("How many days?", "13 to 14 days", "[13,14]"),
        ("Which games?", "2020 Olympics", "2020 Olympics"),
        ("What is the term?", "Water usage effectiveness (WUE)", "Water usage effectiveness"),
        ("What is the term?", "Water (a long explanation of what it is)", "Water (a long explanation of what it is)"),
        ("What is the term?", " Water consumption ", "Water consumption"),
    ],
)
def test_values_become_plain(question, value, plain):
    assert normalise_answer(question, value) == plain


@pytest.mark.parametrize(
    ("value", "unit", "plain"),
    [
        ("5 kWh", "kWh", "5"),
        ("5 kWh", "MWh", "0.005"),
        ("5 kWh", "liters", "5 kWh"),
        ("1438 lbs", "kg", "652.26582806"),
        ("1-2 days", "hours", "[24,48]"),
        ("5 kg CO2e", "tCO2", "0.005"),
        ("3 L/kWh", "L/MWh", "3000"),
        ("5.439 million liters", "liters", "5439000"),
        ("5.439 million liters", "million liters", "5.439"),
        ("5.439", "million liters", "5.439"),
        ("0.02 to 0.1 bottles", "bottles", "[0.02,0.1]"),
        ("8 samples", "samples", "8"),
        ("8 apples", "samples", "8 apples"),
        ("$5", "USD", "5"),
    ],
)
def test_units_are_removed_or_converted_to_the_asked_one(value, unit, plain):
    assert normalise_answer("What was it?", value, unit) == plain
