"""Numbers with decimal commas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.text.decimal_commas import has_decimal_commas, with_decimal_points


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.234,56 €", True),
        ("je 5,6 km", True),
        ("Im Jahr 2024 wurden 1.286 Reisen abgerechnet", True),
        ("It cost 1,234.56 in the year", False),
        ("1,286 trips", False),
        ("der Preis und die Zahl: 1,286,000", False),
        ("", False),
    ],
)
def test_decimal_commas_are_seen_by_a_sure_number_or_by_german_words(text, expected):
    assert has_decimal_commas(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("412.750,40 €", "412750.40 €"),
        ("0,30", "0.30"),
        ("1.286", "1286"),
        ("1.2.3", "1.2.3"),
        ("3.5", "3.5"),
        ("1,2,3", "1,2,3"),
    ],
)
def test_separators_of_thousands_go_and_commas_become_points(text, expected):
    assert with_decimal_points(text) == expected


@given(st.integers(0, 10**9), st.integers(0, 99))
def test_any_amount_is_read_back(whole, cents):
    written = f"{whole:,}".replace(",", ".") + f",{cents:02}"
    assert float(with_decimal_points(written)) == pytest.approx(whole + cents / 100)
