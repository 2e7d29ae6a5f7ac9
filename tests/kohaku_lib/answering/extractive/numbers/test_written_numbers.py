"""Numbers in digits: signs, thousands, decimal commas, powers of ten and currencies."""

import pytest

from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.answering.extractive.numbers.written_numbers import numbers_in


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The hall is kept at −6 °C.", [-6]),
        ("The account stands at -3,150 EUR.", [-3150]),
        ("kept at 2 –6 °C", [2, 6]),
        ("GPT-3 and room B-12", [3, 12]),
        ("| Result | (4,200) | 310 |", [-4200, 310]),
        ("| Change | (2.1) % |", [-2.1]),
        ("(640)", [-640]),
        ("The net result was (640).", [-640]),
        ("The house (1,800 EUR) is let.", [1800]),
        ("The hostel has beds (40) and a kitchen.", [40]),
        ("| Opened | (2019) |", [2019]),
        ("a fee of 1'234.50 CHF", [1234.5]),
        ("12\u00a0500 people and 8\u2009750 boats", [12500, 8750]),
        ("It was bought for 12 500 EUR, the gate for 8 750 EUR.", [12500, 8750]),
        ("| Fence | 12 500 | 8 |", [12500, 8]),
        ("Azure Code 25 128 1930", [25, 128, 1930]),  # cells
        ("In May 12 500 people came by bus or train.", [12, 500]),  # or 12,500: not told
        ("It costs 16,50 at the door.", [16.5]),
        ("10⁶ cycles, 2 × 10⁵ cycles, 3 × 10^5 cycles", [1e6, 2e5, 3e5]),
        ("1.2e6 cycles and 4 × 10^-2 s", [1.2e6, 0.04]),
    ],
)
def test_a_number_is_read_as_it_is_written(text, values):
    assert [one.value for one in numbers_in(text)] == values


def test_decimal_commas_of_a_document_make_points_separate_thousands():
    text = "Es waren 4.200 Gäste, je 3,4 km, bei -14,5 °C und 1.250,75 EUR."
    assert [one.value for one in numbers_in(text, decimal_commas=True)] == [4200, 3.4, -14.5, 1250.75]


@pytest.mark.parametrize(
    ("text", "low", "high", "measure", "factor"),
    [
        ("CHF 1'234.50", 1234.5, 1234.5, "chf", 1),
        ("£7.3m", 7.3e6, 7.3e6, "gbp", 1),
        ("3.4 Mio. EUR", 3.4e6, 3.4e6, "eur", 1),
        ("ten euros", 10, 10, "eur", 1),
        ("dreiundzwanzig Tage", 23, 23, "time", 86400),
        ("zwischen 4 und 5 Tage", 4, 5, "time", 86400),
        ("−20 to −15 °C", -20, -15, "celsius", 1),
    ],
)
def test_amounts_have_their_currency_or_unit(text, low, high, measure, factor):
    [one] = quantities_in(text)
    assert (one.low, one.high, one.unit.measure, one.unit.factor) == (low, high, measure, factor)
