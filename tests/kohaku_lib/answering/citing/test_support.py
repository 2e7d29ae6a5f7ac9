"""Whether a quote states its value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.citing.support import Support, support_of
from kohaku_lib.tables import Question


def support(value, quote, unit=None, question="How much is it?"):
    return support_of(Question("q", question, unit), value, quote)


@pytest.mark.parametrize(
    ("value", "unit", "quote", "converted_from"),
    [
        ("566", None, "It employed 566 people.", None),
        ("1930", "orders", "During this time 1,930 orders were delayed.", None),
        ("0.212", "GWh", "The roof delivered 212 MWh.", "212 MWh"),
        ("42", "days", "The trial ran for 6 weeks.", "6 weeks"),
        ("33.6", "million pounds", "The revenue was 33.6 million pounds.", None),
        ("1234.56", "EUR", "Das Mikroskop kostet 1.234,56 €.", None),
        ("0", "orders", "1,930 orders were delayed; none was lost.", None),
        ("[80,90]", None, "Between 80 and 90 were sold.", None),
    ],
)
def test_a_number_is_stated_as_written_or_after_a_conversion_that_is_told(value, unit, quote, converted_from):
    assert support(value, quote, unit) == Support(True, converted_from)


@pytest.mark.parametrize(
    ("value", "unit", "quote"),
    [
        ("18", None, "Three stores opened on May 18, 2022."),
        ("15", "USD", "It is due on April 15."),
        ("5", "kWh", "It weighs 5 kg."),
        ("7", None, "It has seventy seats and 70 tables."),
        ("0", None, "It lost 3 orders."),
        ("[80,95]", None, "Between 80 and 90 were sold."),
    ],
)
def test_digits_of_dates_other_units_and_parts_of_numbers_state_nothing(value, unit, quote):
    assert support(value, quote, unit) == Support(False)


@pytest.mark.parametrize(
    ("value", "quote", "expected"),
    [
        ("Stefan Vogel", "| Data warehouse | stefan  vogel |", True),
        ("Ann", "Anna owns it.", False),
        ("29 March 2025", "It opens on 2025-03-29.", True),
        ('["York", "Hull"]', "Shops in York and Hull are planned.", True),
        ('["York", "Leeds"]', "Shops in York and Hull are planned.", False),
    ],
)
def test_names_dates_and_lists_stand_in_the_quote_as_whole_words(value, quote, expected):
    assert support(value, quote).states_value is expected


def test_truth_values_blanks_and_answers_without_a_quote_are_unknown():
    assert support("1", "It rains.", question="True or false: It rains.") == Support(None)
    assert support("is_blank", "It rains.") == Support(None)
    assert support("5", None) == Support(None)


@given(
    st.integers(1, 10**9), st.sampled_from(["{} boats left.", "In all, {:,} boats left.", "It had {} or more boats."])
)
def test_every_number_that_is_written_out_is_stated_and_its_double_is_not(number, form):
    quote = form.format(number)
    assert support(str(number), quote).states_value
    assert not support(str(2 * number), quote).states_value


@pytest.mark.parametrize(
    ("unit", "value", "quote", "supported"),
    [
        ("EUR", "-4200", "| Hill plot | (4,200) |", True),
        ("EUR", "-4200000", "| Hill plot | (4,200) |", True),  # a table in thousands
        ("EUR", "4200000", "The plot made 4,200.", False),
        ("°C", "-18", "The freezer runs at −18 °C.", True),
        ("°C", "18", "The freezer runs at −18 °C.", False),
        ("CHF", "1234.5", "It costs CHF 1'234.50 a year.", True),
        ("CHF", "1", "It costs CHF 1'234.50 a year.", False),
        ("EUR", "16.5", "Die Baumpflege kostet 16,50.", True),
        ("EUR", "16", "Die Baumpflege kostet 16,50.", False),
        ("EUR", "16.5", "Heating is 16,50 € per hour.", True),
    ],
)
def test_a_number_is_supported_as_it_is_written(unit, value, quote, supported):
    assert support_of(Question("q", "How much is it?", unit), value, quote).states_value is supported
