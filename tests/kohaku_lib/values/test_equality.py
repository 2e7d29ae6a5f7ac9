"""Equality of values as a relation, and the texts that it ignores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.values import is_claim, strip_claim_prefix, values_equal, voting_key
from kohaku_lib.values.comparison import without_bracket

VALUES = st.one_of(
    st.text(max_size=12),
    st.floats(-1e9, 1e9).map(str),
    st.sampled_from(
        ["", "n/a", "True", "no", "80-90", "[80, 90]", "5k", "1 kWh", "1000 Wh", "1 L", "The Cat", "cat (CAT)", "π"]
    ),
)


@given(VALUES)
def test_every_value_equals_itself(value):
    assert values_equal(value, value)


@given(VALUES, VALUES)
def test_equality_goes_both_ways(first, second):
    assert values_equal(first, second) == values_equal(second, first)


@given(VALUES)
def test_a_key_is_the_key_of_itself_up_to_one_more_bracket_or_article(value):
    key = voting_key(value)
    assert len(voting_key(key)) <= len(key)


@pytest.mark.parametrize("value", ["`", "“", "''"])
def test_a_value_of_marks_alone_is_its_own_key_and_no_blank(value):
    assert voting_key(value) == voting_key(voting_key(value)) != voting_key("")


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ("1000", "1001", True),
        ("1000", "1001.1", False),
        ("1 kWh", "1000 Wh", True),
        ("1 kWh", "1000", False),
        ("1 kWh", "1", True),
        ("5", "5-5.001", False),
        ("0", "-0", True),
        ("is_blank", "", True),
        ("is_blank", "0", False),
        ("Straße", "STRASSE", True),
    ],
)
def test_tolerance_units_and_kinds(first, second, equal):
    assert values_equal(first, second) is equal


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("a (123456789012345)", "a"),
        ("a (1234567890123456)", "a (1234567890123456)"),
        ("a ()", "a ()"),
        ("a (b) c", "a (b) c"),
        ("(b)", ""),
        ("a ((b))", "a ((b))"),
    ],
)
def test_only_a_short_bracket_at_the_end_is_left_out(text, rest):
    assert without_bracket(text) == rest


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("True or False: x", True),
        ("  'true/false' x", True),
        ("T / F: x", True),
        ("t/f x", True),
        ("Yes or no: x", True),
        ("True or falsehood?", False),
        ("Is it true or false?", False),
        ("", False),
    ],
)
def test_a_claim_begins_with_its_choice(question, claim):
    assert is_claim(question) is claim
    assert strip_claim_prefix(question) == ("x" if claim else question)


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ("1'234.50", "1234.5", True),
        ("1’234", "1234", True),
        ("(7,300)", "-7300", True),
        ("-£7,300", "-7300", True),
        ("(£7,300)", "-7300 GBP", True),
        ("(7,300)", "7300", False),  # a bracket may hold a remark
        ("(7,300)", "[7,300]", True),
        ("16,50", "16.5", True),
        ("1.234,56 €", "1234.56", True),
        ("1,234", "1234", True),
        ("1,5", "1.5", False),  # or 1 and 5
    ],
)
def test_numbers_are_equal_however_they_are_written(first, second, equal):
    assert values_equal(first, second) is equal
    assert values_equal(second, first) is equal
