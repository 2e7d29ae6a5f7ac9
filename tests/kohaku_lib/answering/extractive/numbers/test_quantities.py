"""Numbers in running text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.formatting import format_number, format_value
from kohaku_lib.answering.extractive.numbers.quantities import quantities_in


def _read(text):
    return [
        (quantity.low, quantity.high, quantity.unit.measure if quantity.unit else None)
        for quantity in quantities_in(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It used 24 MWh and produced 4.3 net tCO 2 e.", [(24, 24, "energy"), (4.3, 4.3, "mass")]),
        ("80-90% of the demand", [(80, 90, "percent")]),
        ("80 – 90 % of the demand", [(80, 90, "percent")]),
        ("between 10 and 50 ms", [(10, 50, "time")]),
        ("10 to 50 ms", [(10, 50, "time")]),
        ("300 Watts to 1 Kilowatt", [(0.3, 1.0, "power")]),
        ("improves by 6.7x.", [(6.7, 6.7, "multiplier")]),
        ("1.6-2.0× faster", [(1.6, 2.0, "multiplier")]),
        ("two to three times", [(2, 3, "multiplier")]),
        ("it doubled", [(2, 2, "multiplier")]),
        ("twice as much", [(2, 2, "multiplier")]),
        ("$2.51 million", [(2.51e6, 2.51e6, "usd")]),
        ("$100–$200 million", [(1e8, 2e8, "usd")]),
        ("$4.50/hr–$8/hr", [(4.5, 8.0, "usd/time")]),
        ("1.5 million USD", [(1.5e6, 1.5e6, "usd")]),
        ("5.439 million liters", [(5439000, 5439000, "volume")]),
        ("0.18 liters of water per kilowatt-hour", [(0.18, 0.18, "volume/energy")]),
        ("28 g CO2e per kWh", [(28, 28, "mass/energy")]),
        ("50–100 kgCO2eq", [(50, 100, "mass")]),
        ("30,000 hours", [(30000, 30000, "time")]),
        ("3.14×10^23 FLOPs", [(3.14e23, 3.14e23, "flop")]),
        ("242 TB of data", [(242, 242, "data")]),
        ("seven cities", [(7, 7, None)]),
        ("a 2 times (7B) gain", [(2, 2, "multiplier"), (7e9, 7e9, None)]),
        ("no number here", []),
        ("2.33Wh for minimal", [(2.33, 2.33, "energy")]),
        ("1.58t(pc + pr)", [(1.58, 1.58, None)]),
    ],
)
def test_numbers_are_read_with_their_units_and_ranges(text, expected):
    assert [(pytest.approx(low), pytest.approx(high), measure) for low, high, measure in expected] == _read(text)


def test_an_area_and_a_volume_are_no_lengths():
    found = quantities_in("A hall of 42 m² and 7 m³, 1,200 sq ft, 5 ha, 80 Quadratmeter, 120 kWh/m² and 30 m long.")
    measures = ["area", "volume", "area", "area", "area", "energy/area", "length"]
    assert [one.unit.measure for one in found] == measures


def test_the_mark_of_a_note_stands_between_a_number_and_its_unit():
    assert [(one.low, one.unit.name) for one in quantities_in("It boils at 250⁹ °C.")] == [(250.0, "°C")]


def test_and_alone_makes_no_range():
    assert len(quantities_in("they used 8 and 16 GPUs")) == 2


def test_a_falling_pair_makes_no_range():
    assert len(quantities_in("from 50 to 10 ms")) == 2


@pytest.mark.parametrize(
    "text",
    ["Table 3 shows", "see Figure 12", "Section 4", "as in [10, 27, 50]", "GPT-3 wins", "Scope 2 emissions", "Fig. 7"],
)
def test_numbers_that_name_something_are_decorated(text):
    assert all(quantity.decorated for quantity in quantities_in(text))


@pytest.mark.parametrize(
    ("text", "hedge"),
    [
        ("up to 90%", "up to"),
        ("more than 40%", "more than"),
        ("at least 3 days", "at least"),
        ("about 5 kg", "about"),
        ("it is 5 kg", ""),
    ],
)
def test_hedges_are_kept(text, hedge):
    assert quantities_in(text)[0].hedge == hedge


def test_the_counted_thing_follows_the_number():
    assert quantities_in("40 widely used model architectures")[0].nouns[2:4] == ("model", "architectur")
    assert quantities_in("that 53 U.S. counties would fail")[0].nouns[:3] == ("u", "s", "counti")


def test_years_are_told_from_amounts():
    assert quantities_in("in 2023")[0].is_year
    assert not quantities_in("2023 kWh")[0].is_year
    assert not quantities_in("3000 models")[0].is_year


def test_glued_digits_are_no_amount():
    assert quantities_in("9" * 60) == ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5439000.0, "5439000"),
        (0.18, "0.18"),
        (4.30, "4.3"),
        (8.720430107526882, "8.7204301"),
        (1e-05, "0.00001"),
        (-3.0, "-3"),
        (0.0, "0"),
    ],
)
def test_numbers_are_written_plainly(value, text):
    assert format_number(value) == text


def test_ranges_are_written_in_brackets():
    assert format_value(0.02, 0.1) == "[0.02,0.1]"
    assert format_value(7, 7) == "7"


@given(st.integers(0, 10**9), st.sampled_from(["kWh", "%", "GPUs", "days", "kg"]))
def test_a_plain_number_is_found_whatever_its_unit(value, unit):
    found = quantities_in(f"It took {value:,} {unit} in all.")
    assert [quantity.low for quantity in found] == [value]


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


def test_a_spelled_out_count_is_no_measure_in_a_unit():
    from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
    from kohaku_lib.tables import Question, Snippet

    text = "The report counts the electricity of the workshop in 2023 and what was paid for the three models."
    snippet = Snippet("a:sec1:p1", "a", "Report", 1, text, 1, 1.0)
    question = Question("q", "What did the workshop pay for its electricity in 2023, in euros?", "euros")
    assert ReadingAnswerer().answer(question, [snippet]).answer_value == "is_blank"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It takes more than half of the costs.", [(50.0, "percent", "more than")]),
        ("Two-thirds of the load and a quarter of all boats", [(66.67, "percent", ""), (25.0, "percent", "")]),
        ("half a litre and one third", [(1.0, None, "")]),
    ],
)
def test_fractions_of_something_are_percentages(text, values):
    found = [(q.low, q.unit.measure if q.unit else None, q.hedge) for q in quantities_in(text)]
    assert found == values


def test_the_sign_before_the_first_bound_is_the_currency_of_both():
    (quantity,) = quantities_in("It may reach$2.2-3.0 billion a year.")
    assert (quantity.low, quantity.high, quantity.unit.measure) == (2.2e9, 3.0e9, "usd")


@pytest.mark.parametrize("text", ["3 Carbon intensity is measured.", "16Amazon has grown.", "Llama2-7b on one node"])
def test_a_mark_or_a_part_of_a_name_is_no_amount(text):
    assert quantities_in(text)[0].decorated


@pytest.mark.parametrize("text", ["12 boats sailed.", "7 GB of memory"])
def test_a_number_that_opens_a_sentence_may_be_an_amount(text):
    assert not quantities_in(text)[0].decorated


def test_a_small_b_behind_a_number_is_no_bit():
    assert quantities_in("the 7b model")[0].unit is None
    assert quantities_in("a link of 10 Gb")[0].unit.measure == "data"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("forty-three boats", [43.0]),
        ("twenty two boats", [20.0, 2.0]),
        ("nach zwölf Tagen", [12.0]),
        ("half an hour", [0.5]),
        ("half an apple", []),
        ("eine halbe Stunde", [0.5]),
        ("three quarters of an hour", [0.75]),
        ("eine Viertelstunde", [0.25]),
    ],
)
def test_numbers_in_words_are_read_with_their_parts_and_in_german(text, expected):
    assert [one.low for one in quantities_in(text)] == expected


@pytest.mark.parametrize(
    ("text", "measure"), [("350 million pounds", "gbp"), ("3 thousand pounds", "mass"), ("20 pounds", "mass")]
)
def test_millions_of_pounds_are_money(text, measure):
    [one] = quantities_in(text)
    assert one.unit.measure == measure
