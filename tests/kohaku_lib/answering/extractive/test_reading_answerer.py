"""The answerer that reads with a small model."""

import pytest

from kohaku_lib.answering.building import build_answerer
from kohaku_lib.answering.closest.closest import find_closest
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, Snippet

TEXT = (
    "On 6 November the order service was down for two hours. 1,930 orders were delayed; none was lost. "
    "46 customers called the hotline."
)


def ask(question, unit=None, wrong_answer_penalty=1.5, text=TEXT, title="Incident report"):
    snippets = [Snippet("d:sec1:p1", "d", title, None, text, 1, 1.0)]
    return ReadingAnswerer(wrong_answer_penalty).answer(Question("q", question, unit), snippets).answer_value


@pytest.mark.parametrize(
    ("question", "unit", "value"),
    [
        ("How many customers called the hotline?", None, "46"),
        ("How many customers called the hotline?", "teaspoons", "is_blank"),  # does not fit
        ("How many orders were lost?", None, "0"),
        ("How many orders were delayed?", None, "1930"),
        ("How many customers does the order service have?", None, "is_blank"),
        ("True or false: The order service was down for an hour.", None, "is_blank"),  # no verdict is so sure
    ],
)
def test_a_number_is_the_one_of_its_noun_and_what_is_unsure_is_blank(question, unit, value):
    assert ask(question, unit) == value


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Tickets of the Elm cinema: prices of 2025", "Does the Elm cinema sell tickets?"),
        ("Bottles and cans are not sold here.", "Does the Elm cinema sell bottles?"),
        ("We open at nine. Only sealed boxes are taken back.", "Can I return an opened box?"),
        ("Hunde dürfen hinein, wenn sie nicht bellen.", "Darf man Hunde mitbringen?"),
        ("The rent is 480 euros. Lunch is at noon.", "Is the rent over 500 euros?"),
    ],
)
def test_a_question_of_yes_or_no_has_no_verdict_but_the_sentence_that_decides_it(text, question):
    assert ask(question, None, 0.0, text, "Elm cinema") == "is_blank"
    snippets = [Snippet("d:sec1:p1", "d", "Elm cinema", None, text, 1, 1.0)]
    [closest, *_] = find_closest(Question("q", question), snippets).passages
    assert closest.text[slice(*closest.marked)] in text


@pytest.mark.parametrize(("city", "value"), [("Windhoek", '"NA"'), ("Oslo", "NO"), ("Atlantis", "is_blank")])
def test_a_cell_that_reads_as_a_blank_is_a_value_in_quotation_marks(city, value):
    table = "| City | Country code |\n| --- | --- |\n| Windhoek | NA |\n| Oslo | NO |\n| Atlantis |  |"
    question = Question("q", f"Which country code does {city} have?")
    answer = build_answerer(Settings()).answer(question, [Snippet("d:1", "d", "Codes", None, table, 1, 1.0)])
    assert answer.answer_value == value
