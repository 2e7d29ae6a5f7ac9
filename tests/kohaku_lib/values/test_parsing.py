"""Free text to values: what is understood, and what must stay as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.values import BLANK, is_blank, parse_value


@pytest.mark.parametrize(
    "text",
    ["", "   ", "is_blank", "IS_BLANK", "na", "N/A", "null", "None", "nan", "unable to answer with confidence, sorry"],
)
def test_blank_tokens_are_blank(text):
    assert is_blank(text)
    assert parse_value(text).text == BLANK


@pytest.mark.parametrize("text", ["0", "no", "nano", "none of them", "Unable to say", "-", "blank"])
def test_answers_that_look_like_blanks_are_answers(text):
    assert not is_blank(text)


def test_none_is_blank():
    assert is_blank(None)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("13,900", "13900"),
        ("1,234,567.5", "1234567.5"),
        ("-5", "-5"),
        ("−5", "-5"),
        ("+7", "7"),
        (".5", "0.5"),
        ("5.", "5"),
        ("80.0", "80"),
        ("8.720430108", "8.720430108"),
        ("5e-3", "0.005"),
        ("1E5", "100000"),
        ("3.2 x 10^6", "3200000"),
        ("2B", "2000000000"),
        ("5k", "5000"),
        ("3.5 million", "3500000"),
        ("$2.51M", "2510000"),
        ("2,510,000 USD", "2510000"),
        ("5.439 million liters", "5439000"),
        ("about 40", "40"),
        ("more than 1,000", "1000"),
        ("~13 days", "13"),
        ("<0.5", "0.5"),
        ("Up to 90%", "90"),
        ("55 percent", "55"),
        ("7x", "7"),
        ("7-fold", "7"),
        ("4.3 tCO2e", "4.3"),
        ("0.18 L/kWh", "0.18"),
        ("0.18 liters per kilowatt-hour", "0.18"),
    ],
)
def test_numbers_are_read(text, number):
    value = parse_value(text)
    assert (value.kind, value.text) == ("number", number)
    assert value.low == value.high == float(number)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("80-90", "[80,90]"),
        ("80–90", "[80,90]"),
        ("80 — 90", "[80,90]"),
        ("80 to 90", "[80,90]"),
        ("from 80 to 90", "[80,90]"),
        ("between 80 and 90", "[80,90]"),
        ("[80, 90]", "[80,90]"),
        ("[90,80]", "[80,90]"),
        ("(80, 90)", "[80,90]"),
        ("[1,000, 2,000]", "[1000,2000]"),
        ("[1,000,2,000]", "[1000,2000]"),
        ("[300,1000]", "[300,1000]"),
        ("[-5,3]", "[-5,3]"),
        ("-5 to 3", "[-5,3]"),
        ("80–90%", "[80,90]"),
        ("80%-90%", "[80,90]"),
        ("300-1000 W", "[300,1000]"),
        ("$2-3 million", "[2000000,3000000]"),
        ("1.5 million to 2 million", "[1500000,2000000]"),
        ("0.02 to 0.1", "[0.02,0.1]"),
        ("0.8-3,500", "[0.8,3500]"),
        ("300 Watts to 1 Kilowatt", "[300,1000]"),
    ],
)
def test_ranges_are_read(text, bounds):
    assert (parse_value(text).kind, parse_value(text).text) == ("range", bounds)


@pytest.mark.parametrize(
    "text",
    [
        "GPT-3",
        "LLaMA-33B",
        "-5-3",
        "2020-21",
        "2020-01-15",
        "90-80",
        "2 to 1.25",
        "300 Watts to 1 Liter",
        "500 mL bottles",
        "1990s",
        "1,2,3",
        "12,34",
        "1_000",
        "inf",
        "1e999",
        "2.2.1",
        "1 in 5",
        "3/4",
        "3 and 4",
        "4-bit",
        "--",
    ],
)
def test_names_dates_and_odd_numbers_stay_text(text):
    assert (parse_value(text).kind, parse_value(text).text) == ("text", text)


@pytest.mark.parametrize(("text", "truth"), [("True", "1"), ("yes", "1"), ("FALSE", "0"), ("No.", "0")])
def test_booleans_are_one_and_zero(text, truth):
    assert (parse_value(text).kind, parse_value(text).text) == ("boolean", truth)


def test_the_unit_is_kept_in_one_spelling():
    assert parse_value("5 Kilowatt-hours").unit == parse_value("5 kWh").unit == "kWh"
    assert parse_value("5 MWh").unit == "MWh"
    assert parse_value("5").unit is None


def test_a_long_text_is_prose():
    assert parse_value("80 to 90 " + "and more " * 40).kind == "text"


@given(st.text(max_size=40))
def test_any_text_gives_a_value_that_reads_the_same_again(text):
    value = parse_value(text)
    if value.kind in {"number", "range"}:
        again = parse_value(value.text)
        assert (again.kind, again.low, again.high) == (value.kind, value.low, value.high)


@given(st.integers(-(10**12), 10**12))
def test_thousands_commas_change_nothing(number):
    assert parse_value(f"{number:,}").text == str(number)


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_hyphen_range_is_the_bracketed_range(first, second):
    low, high = sorted((round(first, 3), round(second, 3) + 0.5))
    if low < high:
        assert parse_value(f"{low:.3f}-{high:.3f}") == parse_value(f"[{low:.3f},{high:.3f}]")
