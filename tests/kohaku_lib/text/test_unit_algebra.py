"""Conversion of units as arithmetic: factors multiply, invert and never cross measures."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.text.units import Unit, conversion_factor, find_unit, is_unit, ratio_of, unit_name

NAMES = "Wh kWh MWh J GJ g kg t lb oz L mL gal m3 m km mi ft s min h day B GB GiB b % USD EUR tCO2e L/kWh g/kWh °C year month"
UNITS = st.sampled_from([*NAMES.split(), "kg CO2"])


@given(UNITS, UNITS)
def test_a_factor_and_its_inverse_make_one(source, target):
    there, back = conversion_factor(source, target), conversion_factor(target, source)
    assert (there is None) == (back is None)
    if there is not None:
        assert there * back == pytest.approx(Decimal(1), rel=Decimal("1e-20"))


@given(UNITS, UNITS, UNITS)
def test_factors_multiply_along_a_chain(first, second, third):
    one, two, whole = (
        conversion_factor(first, second),
        conversion_factor(second, third),
        conversion_factor(first, third),
    )
    if one is not None and two is not None:
        assert one * two == pytest.approx(whole, rel=Decimal("1e-20"))


@given(UNITS, UNITS)
def test_units_convert_exactly_if_they_measure_the_same(source, target):
    same = find_unit(source).measure == find_unit(target).measure
    assert (conversion_factor(source, target) is not None) == same


@given(UNITS)
def test_the_name_of_a_unit_is_a_name_of_itself(text):
    assert unit_name(unit_name(text)) == unit_name(text)
    assert find_unit(f"  {text} ") == find_unit(text)


@given(UNITS, UNITS)
def test_a_ratio_is_read_with_a_slash_and_with_per(above, below):
    ratio = find_unit(f"{above} per {below}")
    assert ratio == find_unit(f"{above}/{below}")
    if "/" not in above + below:
        assert ratio == ratio_of(find_unit(above), find_unit(below))
        assert ratio.size == find_unit(above).size / find_unit(below).size


@pytest.mark.parametrize("text", ["", " ", "bottle", "k", "KM/", "/h", "kWh/bottle", "a/b/c", "MM", "dag", "eV"])
def test_what_is_no_unit_is_none_and_converts_to_nothing(text):
    assert find_unit(text) is None
    assert not is_unit(text)
    assert conversion_factor(text, "kg") is None


def test_a_number_in_the_larger_unit_grows_by_the_factor():
    assert conversion_factor("kWh", "Wh") == 1000
    assert conversion_factor("Wh", "kWh") == Decimal("0.001")


def test_an_unknown_unit_converts_to_itself():
    assert conversion_factor("bottles", "bottles") == 1


@pytest.mark.parametrize(
    ("text", "measure", "size"),
    [
        ("kilowatt-hours", "energy", "3600000"),
        ("kilowatt hours", "energy", "3600000"),
        ("megatonnes", "mass", "1E+12"),
        ("microseconds", "time", "0.000001"),
        ("feet", "length", "0.3048"),
        ("cubic metres", "volume", "1000"),
        ("mph", "length/time", "0.44704"),
        ("cents", "usd", "0.01"),
        ("metric tons of carbon dioxide equivalent", "mass of CO2", "1000000"),
        ("EFLOPS", "flop/time", "1E+18"),
    ],
)
def test_words_and_prefixes_have_their_size(text, measure, size):
    unit = find_unit(text)
    assert (unit.measure, unit.size) == (measure, Decimal(size))
    assert unit.factor == float(size)


def test_a_counted_thing_is_no_measure():
    assert Unit("noun:paper").is_noun
    assert not find_unit("kg").is_noun
