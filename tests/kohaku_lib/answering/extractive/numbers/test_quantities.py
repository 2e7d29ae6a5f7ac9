"""Numbers in running text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.formatting import format_number
from kohaku_lib.answering.extractive.numbers.quantities import quantities_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It used 24 MWh and produced 4.3 net tCO 2 e.", [(24, 24, "energy"), (4.3, 4.3, "mass")]),
        ("80 – 90 % of the demand", [(80, 90, "percent")]),
        ("10 to 50 ms", [(10, 50, "time")]),
        ("300 Watts to 1 Kilowatt", [(0.3, 1.0, "power")]),
        ("from 50 to 10 ms", [(50, 50, None), (10, 10, "time")]),
        ("they used 8 and 16 GPUs", [(8, 8, None), (16, 16, None)]),
        ("two to three times", [(2, 3, "multiplier")]),
        ("$100–$200 million", [(1e8, 2e8, "usd")]),
        ("It may reach$2.2-3.0 billion a year.", [(2.2e9, 3.0e9, "usd")]),
        ("$4.50/hr–$8/hr", [(4.5, 8.0, "usd/time")]),
        ("350 million pounds", [(3.5e8, 3.5e8, "gbp")]),
        ("3 thousand pounds", [(3000, 3000, "mass")]),
        ("5.439 million liters", [(5439000, 5439000, "volume")]),
        ("0.18 liters of water per kilowatt-hour", [(0.18, 0.18, "volume/energy")]),
        ("3.14×10^23 FLOPs", [(3.14e23, 3.14e23, "flop")]),
        ("a link of 10 Gb", [(10, 10, "data")]),
        ("the 7b model", [(7, 7, None)]),
        ("a 2 times (7B) gain", [(2, 2, "multiplier"), (7e9, 7e9, None)]),
        ("1.58t(pc + pr)", [(1.58, 1.58, None)]),
        ("It boils at 250⁹ °C.", [(250, 250, "celsius")]),  # the mark of a note
        ("42 m², 1,200 sq ft and 80 Quadratmeter", [(42, 42, "area"), (1200, 1200, "area"), (80, 80, "area")]),
        ("no number here", []),
        ("9" * 60, []),
        # in words
        ("forty-three boats", [(43, 43, None)]),
        ("nach zwölf Tagen", [(12, 12, "time")]),
        ("eine halbe Stunde", [(0.5, 0.5, "time")]),
        ("half an apple", []),
        ("half a litre and one third", [(1, 1, None)]),
        ("Two-thirds of the load and a quarter of all boats", [(66.67, 66.67, "percent"), (25, 25, "percent")]),
        # glued to a small word
        ("It grew by15.2× there", [(15.2, 15.2, "multiplier")]),
        ("a g4dn, an mp3, top5", []),
    ],
)
def test_numbers_are_read_with_their_units_and_ranges(text, expected):
    found = [(one.low, one.high, one.unit.measure if one.unit else None) for one in quantities_in(text)]
    assert [(pytest.approx(low), pytest.approx(high), measure) for low, high, measure in expected] == found


@pytest.mark.parametrize(
    ("text", "decorated"),
    [
        ("Table 3 shows", True),
        ("as in [10, 27, 50]", True),
        ("GPT-3 wins", True),
        ("16Amazon has grown.", True),
        ("Llama2-7b on a node", True),
        ("12 boats sailed.", False),
        ("7 GB of memory", False),
    ],
)
def test_numbers_that_name_something_are_decorated(text, decorated):
    assert quantities_in(text)[0].decorated is decorated


@pytest.mark.parametrize(
    ("text", "hedge"),
    [("up to 90%", "up to"), ("It takes more than half of the costs.", "more than"), ("it is 5 kg", "")],
)
def test_hedges_are_kept(text, hedge):
    assert quantities_in(text)[0].hedge == hedge


@pytest.mark.parametrize(("text", "is_year"), [("in 2023", True), ("2023 kWh", False), ("3000 models", False)])
def test_years_are_told_from_amounts(text, is_year):
    assert quantities_in(text)[0].is_year is is_year


@pytest.mark.parametrize(
    ("value", "text"), [(4.30, "4.3"), (8.720430107526882, "8.7204301"), (1e-05, "0.00001"), (-3.0, "-3"), (0.0, "0")]
)
def test_numbers_are_written_plainly(value, text):
    assert format_number(value) == text


@given(st.integers(0, 10**9), st.sampled_from(["kWh", "%", "GPUs", "days", "kg"]))
def test_a_plain_number_is_found_whatever_its_unit(value, unit):
    assert [quantity.low for quantity in quantities_in(f"It took {value:,} {unit} in all.")] == [value]


@given(st.floats(1e-6, 1e12))
def test_written_numbers_hold_eight_digits_and_no_exponent(value):
    text = format_number(value)
    assert "e" not in text
    assert "," not in text
    assert float(text) == pytest.approx(value, rel=1e-6, abs=1e-11)


@given(st.text(max_size=120))
def test_any_text_is_read_without_failing_and_in_order(text):
    found = quantities_in(text)
    assert all(one.start <= other.start for one, other in pairwise(found))
    assert all(0 <= quantity.start < quantity.end <= len(text) for quantity in found)
