"""Scales that a column, a caption or a sentence says."""

import pytest

from kohaku_lib.answering.extractive.numbers.stated_scale import stated_scale


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(in thousands of US dollars, unaudited)", ("usd", 1e3)),
        ("All amounts in thousands of pounds.", ("gbp", 1e3)),
        ("Saldo in TEUR", ("eur", 1e3)),
        ("Beträge in Tausend Franken", ("chf", 1e3)),
        ("passengers (thousands)", ("", 1e3)),
        ("Price in EUR", None),
        ("Length (m)", None),
        ("Thousands came to the fair.", None),
        ("kept in millimetres", None),
    ],
)
def test_a_scale_is_read_with_its_currency(text, expected):
    stated = stated_scale(text)
    assert (stated and (stated.measure, stated.factor)) == expected
