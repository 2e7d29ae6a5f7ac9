"""Values that the model reads in the line that likeliest answers."""

import json

import pytest

from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reading_answerer import read_value
from kohaku_lib.tables import Question, Snippet

POLICY = [
    Snippet("p:sec1:p1", "p", "Travel Policy", None, "Hollin Freight Services. Version 4.", 1, 1.0),
    Snippet(
        "p:sec2:p1",
        "p",
        "Travel Policy",
        None,
        "| City | Hotel limit per night | Meal allowance |\n| --- | --- | --- |\n"
        "| London | £185 | £48 |\n| Manchester | £120 | £40 |",
        2,
        0.9,
    ),
    Snippet("p:sec3:p1", "p", "Travel Policy", None, "Claims are handed in within 30 days after the return.", 3, 0.8),
]
TOURS = (
    "| Tour | Price in EUR | Duration | Length |\n| --- | --- | --- | --- |\n| Harbour | 24 | 3 hours | 9 km |\n"
    "| Forest | 31 | 5 hours | 14 km |"
)
DOGS = (
    "| Dog | Weight | Height | Age |\n| --- | --- | --- | --- |\n| Bella | 31 kg | 62 cm | 4 years |\n"
    "| Rocko | 12 kg | 38 cm | 9 years |"
)
SALES = (
    "| Month | Cakes (EUR) | Visitors |\n| --- | --- | --- |\n"
    "| April 2025 | 310 | 41 |\n| May 2025 | 280 | 52 |\n| Total | 590 | 93 |"
)
ROOMS = "| Room | Seats |\n| --- | --- |\n| Hall 3 | 40 |\n| Hall 4 | 60 |\n| Attic | 12 |"
TARTS = "| Tart | Small | Large |\n| --- | --- | --- |\n| Plum tart | £4 | |\n| Lemon tart | £5 | £9 |"
SURE = 0.6  # by the default of answer.wrong_answer_penalty a value is given from here on


def find(question, snippets, unit=None):
    asked = Question("q", question, unit)
    return read_value(read_question(asked), asked, snippets)


def find_in(question, text, unit=None):
    return find(question, [Snippet("d:sec2:p1", "d", "", None, text, 1, 1.0)], unit)


def test_a_cell_is_found_by_its_row_and_its_column_and_quoted_with_its_row():
    found = find("What is the hotel limit per night in Manchester at Hollin Freight Services?", POLICY)
    assert (found.value, found.quote, found.document_ids) == ("£120", "| Manchester | £120 | £40 |", ("p",))
    assert found.confidence > SURE


@pytest.mark.parametrize(
    ("question", "text", "unit", "value"),
    [
        # in words that the table does not use
        ("What does the tour Harbour cost?", TOURS, "EUR", "24"),
        ("What does Rocko weigh?", DOGS, "kg", "12"),
        # of the row that is named, and of the total only where that is asked for
        ("How many visitors came in May 2025?", SALES, None, "52"),
        ("How many visitors came in total?", SALES, None, "93"),
        ("How many seats are in hall 4?", ROOMS, None, "60"),
        ("What is the price of the small plum tart?", TARTS, "GBP", "4"),
    ],
)
def test_a_cell_of_the_named_row_and_of_the_asked_measure_is_read(question, text, unit, value):
    assert find_in(question, text, unit).value == value


@pytest.mark.parametrize(
    ("question", "text", "unit"),
    [
        ("What does the tour Mountain cost?", TOURS, "EUR"),
        ("How many visitors came in June 2025?", SALES, None),
    ],
)
def test_neither_another_row_nor_another_measure_is_sure(question, text, unit):
    found = find_in(question, text, unit)
    assert found is None or found.confidence < SURE


def test_another_row_and_another_firm_are_less_likely():
    question = "What is the hotel limit per night in {} at {}?"
    right, other_row, other_firm = (
        found.confidence if (found := find(question.format(city, firm), POLICY)) else 0.0
        for city, firm in (
            ("Manchester", "Hollin Freight"),
            ("Aberdeen", "Hollin Freight"),
            ("Manchester", "Brill Optics"),
        )
    )
    assert right > other_row
    assert right > other_firm


def test_rows_that_share_a_named_cell_are_listed_and_counted():
    text = "| System | Owner |\n| --- | --- |\n| Payroll | Ann Fox |\n| Wiki | Bo Lund |\n| CRM | Ann Fox |"
    listed = find_in("Which systems does Ann Fox own?", text)
    assert json.loads(listed.value) == ["Payroll", "CRM"]
    assert listed.quote == "| Payroll | Ann Fox | … | CRM | Ann Fox |"
    assert find_in("How many systems does Ann Fox own?", text).value == "2"


def test_there_is_no_answer_without_passages():
    assert find("Who sang?", []) is None
