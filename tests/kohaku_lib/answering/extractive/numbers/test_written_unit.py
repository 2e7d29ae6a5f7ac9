"""The unit beside a value, as its quote writes it."""

import pytest

from kohaku_lib.answering.extractive.numbers.written_unit import with_written_unit


@pytest.mark.parametrize(
    ("value", "quote", "shown"),
    [
        ("6", "The offer is valid for 6 weeks.", "6 weeks"),
        ("4200", "The kitchen costs €4,200 in all.", "€4200"),
        ("1500000", "It cost $1.5 million.", "$1500000"),
        ("70", "The machine room took 29,260 kWh, or 70 %.", "70 %"),
        ("29260", "The machine room took 29,260 kWh, or 70 %.", "29260 kWh"),
        ("41800", "It used 41,800 kWh of electricity.", "41800 kWh"),
        ("€4,200", "The kitchen costs €4,200 in all.", "€4,200"),
        ("1500000", "They burnt 1.5 million tonnes of coal.", "1500000 tonnes"),
        ("12000", "In May 12k kWh were used.", "12000 kWh"),
        ("-5", "It was -5 °C outside.", "-5"),
        ("12", "There are 12 windows.", "12"),
        ("5", "The offer is valid for 6 weeks.", "5"),
        ("Ann Lee", "Ann Lee waited 6 weeks.", "Ann Lee"),
    ],
)
def test_a_number_is_shown_with_the_unit_that_stands_beside_it(value, quote, shown):
    assert with_written_unit(value, quote) == shown


def test_without_a_quote_a_number_stays_bare():
    assert with_written_unit("6", None) == "6"
