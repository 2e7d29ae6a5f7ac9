"""One set of units: every spelling has one name, and conversion is that of pint."""

import subprocess
import sys
from decimal import Decimal

import pytest

from kohaku_lib.text.unit_sizes import COMMON_SIZES, size_by_pint, size_of
from kohaku_lib.text.units import _FIXED, _PREFIXES, _SYMBOLS, conversion_factor, find_unit, unit_name
from kohaku_lib.values import normalise_answer


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("kWh", "kWh"),
        ("mWh", "mWh"),
        ("MWh", "MWh"),
        ("Watts", "W"),
        ("gigabytes", "GB"),
        ("GiB", "GiB"),
        ("pounds", "lb"),
        ("lbs", "lb"),
        ("kg CO2e", "kgCO2"),
        ("metric tons of CO2", "tCO2"),
        ("L per kWh", "L/kWh"),
        ("ms", "ms"),
        ("m²", "m2"),
        ("square metres", "m2"),
        ("sq. km", "km2"),
        ("Quadratmeter", "m2"),
        ("m^3", "m3"),
        ("hectares", "ha"),
        ("kWh/m²", "kWh/m2"),
        ("m", "m"),
        ("bottles", None),
        ("L/bottle", None),
        ("per", None),
        ("", None),
    ],
)
def test_units_have_one_name(text, key):
    assert unit_name(text) == key


@pytest.mark.parametrize(
    ("source", "target", "factor"),
    [
        ("kWh", "J", 3.6e6),
        ("kW", "W", 1e3),
        ("day", "h", 24),
        ("lb", "kg", 0.45359237),
        ("GB", "b", 8e9),
        ("gal", "L", 3.785411784),
        ("mL", "L", 1e-3),
        ("km", "mi", 0.621371192),
        ("t", "kg", 1e3),
        ("kgCO2", "tCO2", 1e-3),
        ("gCO2/kWh", "kgCO2/MWh", 1),
        ("USD", "USD", 1),
        ("ha", "m2", 10_000),
        ("square feet", "m²", 0.09290304),
        ("km²", "ha", 100),
        ("kWh/m2", "MWh/ha", 10),
    ],
)
def test_units_convert_both_ways(source, target, factor):
    there, back = conversion_factor(source, target), conversion_factor(target, source)
    assert there is not None
    assert back is not None
    assert float(there) == pytest.approx(factor)
    assert float(back) == pytest.approx(1 / factor)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("kW", "kWh"),
        ("kg", "kgCO2"),
        ("year", "day"),
        ("USD", "EUR"),
        ("%", "x"),
        ("B", "L"),
        ("W/L", "W"),
    ],
)
def test_units_of_other_dimensions_do_not_convert(source, target):
    assert conversion_factor(source, target) is None


@pytest.mark.parametrize(
    ("source", "target", "factor"),
    [("tons", "kg", "1000"), ("GiB", "MiB", "1024"), ("oz", "g", "28.349523125"), ("kwh", "J", "3600000")],
)
def test_what_two_tables_once_disagreed_about_converts(source, target, factor):
    assert conversion_factor(source, target) == Decimal(factor)


@pytest.mark.parametrize(
    ("source", "target"),
    [("USD", "EUR"), ("month", "day"), ("short tons", "kg"), ("°C", "°F"), ("bottles", "liters"), ("kg", "tCO2")],
)
def test_ambiguous_units_and_currencies_never_convert(source, target):
    assert conversion_factor(source, target) is None


def test_a_bare_ton_is_the_metric_one_as_in_the_wattbot_data():
    assert {unit_name(text) for text in ("ton", "tons", "tonne", "t", "MT", "metric tons")} == {"t"}
    assert unit_name("Mt") == "Mt"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("tonnes of carbon dioxide equivalent", "tCO2"),
        ("gCO2e/kWh", "gCO2/kWh"),
        ("terawatt-hours", "TWh"),
        ("KB", "kB"),
        ("FLOP/s", "FLOP/s"),
        ("cubic metres", "m3"),
        ("-bit", None),
        ("kilo-bits", "kb"),
        ("feet", "ft"),
    ],
)
def test_spellings_of_documents_and_of_answers_are_the_same(text, name):
    assert unit_name(text) == name


def test_answers_in_tons_are_given_in_the_asked_unit():
    assert normalise_answer("How much steel?", "1.5 tons", "kg") == "1500"


VOCABULARY = [
    (_PREFIXES[prefix][1] + name, measure) for measure, name, prefixes in _SYMBOLS.values() for prefix in prefixes
] + [(name, measure) for measure, name in _FIXED.values()]


def test_the_table_that_spares_loading_pint_agrees_with_pint_on_every_known_unit():
    assert {name for name, _ in VOCABULARY} >= set(COMMON_SIZES)
    assert [pair for pair in VOCABULARY if size_of(*pair) != size_by_pint(*pair)] == []


def test_units_outside_the_table_come_from_pint():
    assert find_unit("mph").size == size_by_pint("mile / hour", "length/time") == Decimal("0.44704")


def test_common_units_load_no_pint():
    program = (
        "import sys; from kohaku_lib.text.units import find_unit; from kohaku_lib.values import parse_value\n"
        "parse_value('5 million liters'); find_unit('gCO2e/kWh'); find_unit('lbs'); find_unit('FLOP/s')\n"
        "sys.exit('pint' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
