"""Amounts whose column, caption or sentence says in which scale they are."""

import pytest

from kohaku_lib.answering.extractive.numbers.stated_scale import stated_scale
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.tables import Question, Snippet


@pytest.mark.parametrize(
    ("text", "measure", "factor"),
    [
        ("(in thousands of US dollars, unaudited)", "usd", 1e3),
        ("Amounts in thousands of euros.", "eur", 1e3),
        ("All amounts in thousands of pounds.", "gbp", 1e3),
        ("Saldo in TEUR", "eur", 1e3),
        ("Angaben in Mio. EUR", "eur", 1e6),
        ("Beträge in Tausend Franken", "chf", 1e3),
        ("Result (£m)", "gbp", 1e6),
        ("Sales (USD '000)", "usd", 1e3),
        ("passengers (thousands)", "", 1e3),
    ],
)
def test_a_scale_is_read_with_its_currency(text, measure, factor):
    stated = stated_scale(text)
    assert stated is not None
    assert (stated.measure, stated.factor) == (measure, factor)


@pytest.mark.parametrize("text", ["Price in EUR", "Length (m)", "Thousands came to the fair.", "kept in millimetres"])
def test_other_headings_state_none(text):
    assert stated_scale(text) is None


TABLE = "| plot | result | weight (kg) |\n| --- | --- | --- |\n| Hill plot | (4,200) | 31 |\n| River plot | 315 | 12 |"


@pytest.mark.parametrize(
    ("above", "question", "unit", "value"),
    [
        ("Amounts in thousands of euros.", "What was the result of the Hill plot?", "EUR", "-4200000"),
        ("Amounts in thousands of euros.", "What was the result of the River plot?", "EUR", "315000"),
        ("Amounts in thousands of euros.", "What was the weight of the River plot?", "kg", "12"),
    ],
)
def test_the_paragraph_above_a_table_gives_the_scale_of_its_amounts(above, question, unit, value):
    snippets = [
        Snippet("d:sec1:p2", "d", "Orchard", None, TABLE, 1, 1.0),
        Snippet("d:sec1:p1", "d", "Orchard", None, above, 2, 0.9),
    ]
    assert ReadingAnswerer(0.0).answer(Question("q", question, unit), snippets).answer_value == value
