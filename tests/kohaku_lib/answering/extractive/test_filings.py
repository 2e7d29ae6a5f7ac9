"""Statements of accounts: amounts in thousands or millions, fiscal years, and how an answer is wanted."""

import pytest

from kohaku_lib.answering.extractive.answerer import ExtractiveAnswerer
from kohaku_lib.answering.extractive.numbers.stated_scale import stated_scale
from kohaku_lib.answering.extractive.numbers.units import parse_unit
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.text import tokens_of
from kohaku_lib.tables import Question, Snippet

STATEMENT = """Statement of Cash Flows of the Harbour Company
| (Millions) | 2022 | 2021 |
| --- | --- | --- |
| Purchases of boats | $ (1,577) | $ (1,373) |
| Purchases of cranes | 284 | 251 |
| Boats in service | 41 | 38 |"""


def _value(question, unit):
    return ExtractiveAnswerer().answer(
        Question("q", question, unit), [Snippet("d:1", "d", "10-K", 1, STATEMENT, 1, 1.0)]
    )


@pytest.mark.parametrize(
    ("question", "unit", "value"),
    [
        ("How much did the Harbour Company pay for purchases of cranes in FY2022?", "USD millions", "284"),
        ("How much did the Harbour Company pay for purchases of cranes in FY2021?", "USD", "251000000"),
        ("How much did the Harbour Company pay for purchases of boats in FY2022?", "USD billions", "1.577"),
        ("How many boats in service did the Harbour Company have in 2022?", "boats", "41"),
    ],
)
def test_amounts_of_money_count_what_the_header_says(question, unit, value):
    assert _value(question, unit).answer_value == value


@pytest.mark.parametrize(
    ("header", "scale"),
    [
        ("| (Dollars in millions, except per share) | 2022 |", 1e6),
        ("Balance sheet (in thousands)", 1e3),
        ("| Model | Hours |", None),
        ("Two millions of boats", None),
    ],
)
def test_the_scale_of_a_statement_is_read_from_its_header(header, scale):
    stated = stated_scale(header)
    assert (stated and stated.factor) == scale


def test_a_fiscal_year_holds_its_year():
    assert [token.stem for token in tokens_of("FY2018 and FY 2019")] == ["fy", "2018", "and", "fy", "2019"]


def test_a_scale_may_follow_its_unit():
    assert parse_unit("USD millions") == parse_unit("million USD")


def test_what_says_how_to_answer_is_no_term():
    long = "Answer by using the balance sheet: what is the weight of the boats? Give it in kg. Please round."
    assert read_question(Question("q", long)).stems == ("weight", "boat")
    assert read_question(Question("q", "Give the weight of boats.")).stems == ("give", "weight", "boat")
