"""Units: what they measure and exact conversion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.numbers.units import convert, parse_unit


@pytest.mark.parametrize(
    ("written", "measure", "factor"),
    [
        ("kWh", "energy", 3.6e6),
        ("TeraWatt-hours", "energy", 3.6e15),
        ("Kilowatt", "power", 1e3),
        ("kg", "mass", 1e3),
        ("metric tons of CO2", "mass", 1e6),
        ("MtCO2e", "mass", 1e12),
        ("hours", "time", 3600.0),
        ("years", "months", 12.0),
        ("liters of water", "volume", 1.0),
        ("million liters", "volume", 1e6),
        ("GB", "data", 8e9),
        ("USD", "usd", 1.0),
        ("gCO2e/kWh", "mass/energy", 1 / 3.6e6),
        ("liters of water per kilowatt-hour", "volume/energy", 1 / 3.6e6),
        ("USD per hour", "usd/time", 1 / 3600),
        ("papers", "noun:paper", 1.0),
        ("billion parameters", "noun:paramet", 1e9),
    ],
)
def test_a_unit_is_what_it_measures(written, measure, factor):
    unit = parse_unit(written)
    assert unit is not None
    assert unit.measure == measure
    assert unit.factor == pytest.approx(factor)


@pytest.mark.parametrize("written", ["", "is_blank", "N/A", "none", "-", "  "])
def test_no_unit_is_no_unit(written):
    assert parse_unit(written) is None


@pytest.mark.parametrize(
    ("value", "given_unit", "asked", "expected"),
    [
        (1.2, "GWh", "MWh", 1200.0),
        (0.18, "L/kWh", "L/MWh", 180.0),
        (2.0, "years", "months", 24.0),
    ],
)
def test_conversion_is_exact(value, given_unit, asked, expected):
    assert convert(value, parse_unit(given_unit), parse_unit(asked)) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("given_unit", "asked"),
    [("hours", "kg"), ("USD", "EUR"), ("W", "Wh"), ("years", "days"), ("percent", "multiplier"), ("papers", "models")],
)
def test_what_measures_something_else_is_never_converted(given_unit, asked):
    assert convert(1.0, parse_unit(given_unit), parse_unit(asked)) is None


@given(
    st.floats(1e-6, 1e12), st.sampled_from(["Wh", "kWh", "MWh", "GWh", "J", "kJ"]), st.sampled_from(["Wh", "MWh", "J"])
)
def test_converting_there_and_back_changes_nothing(value, one, other):
    first, second = parse_unit(one), parse_unit(other)
    there = convert(value, first, second)
    assert there is not None
    assert convert(there, second, first) == pytest.approx(value, rel=1e-10)
