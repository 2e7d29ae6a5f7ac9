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
SNIPPETS = [Snippet("d:sec1:p1", "d", "Incident report", None, TEXT, 1, 1.0)]


def ask(question, unit=None, wrong_answer_penalty=1.5):
    return ReadingAnswerer(wrong_answer_penalty).answer(Question("q", question, unit), SNIPPETS)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many customers called the hotline?", "46"),
        ("How many orders were lost?", "0"),
        ("How many orders were delayed?", "1930"),
    ],
)
def test_a_number_is_the_one_of_its_noun_and_none_is_zero(question, value):
    answer = ask(question)
    assert (answer.answer_value, answer.ref_id) == (value, ("d",))
    assert answer.confidence >= 0.5


def test_what_the_text_does_not_say_is_blank_unless_a_wrong_answer_costs_nothing():
    question = "How many customers does the order service have?"
    assert ask(question).answer_value == "is_blank"
    assert ask(question, wrong_answer_penalty=0.0).answer_value != "is_blank"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Tickets of the Elm cinema: prices of 2025", "Does the Elm cinema sell tickets for 2026?"),
        ("Bottles and cans are not sold here.", "Does the Elm cinema sell bottles?"),
        ("Umbrellas and coats are not kept by the Elm cinema.", "Does the Elm cinema look after umbrellas?"),
    ],
)
def test_neither_a_heading_nor_a_denial_proves_a_claim(text, question):
    snippets = [Snippet("d:sec1:p1", "d", "Elm cinema", None, text, 1, 1.0)]
    assert ReadingAnswerer(0.0).answer(Question("q", question), snippets).answer_value != "1"


@pytest.mark.parametrize(
    ("question", "decides"),
    [
        ("Can I return an opened box?", "Only sealed boxes are taken back."),
        ("Do I need to give a reason?", "Nobody needs to give a reason."),
        ("Darf man Hunde mitbringen?", "Hunde dürfen hinein, wenn sie nicht bellen."),
        ("Is the rent over 500 euros?", "The rent is 480 euros."),
    ],
)
def test_a_question_of_yes_or_no_has_no_verdict_but_the_sentence_that_decides_it(question, decides):
    snippets = [Snippet("d:sec1:p1", "d", "Handbook", None, f"We open at nine. {decides} Lunch is at noon.", 1, 1.0)]
    assert ReadingAnswerer(0.0).answer(Question("q", question), snippets).answer_value == "is_blank"
    [closest, *_] = find_closest(Question("q", question), snippets).passages
    assert closest.text[slice(*closest.marked)] in decides


def test_a_claim_that_asks_for_a_verdict_has_one():
    claim = "True or false: 46 customers called the hotline."
    assert ReadingAnswerer(0.0).answer(Question("q", claim), SNIPPETS).answer_value == "1"


def test_a_unit_that_does_not_fit_is_blank():
    assert ask("How many customers called the hotline?", "teaspoons").answer_value == "is_blank"


def test_a_claim_has_a_verdict_only_where_wrong_answers_cost_little():
    claim = "True or false: The order service was down for an hour."
    assert ask(claim, wrong_answer_penalty=0.0).answer_value in {"0", "1"}
    assert ask(claim, wrong_answer_penalty=20.0).answer_value == "is_blank"


def test_a_difference_is_worked_out_and_never_read():
    text = "Calder Roofing asked for £248,500. Northgate asked for £263,000."
    snippets = [Snippet("b:sec1:p1", "b", "Minutes", None, text, 1, 1.0)]
    question = Question(
        "q", "What is the difference between the price of Calder Roofing and the price of Northgate?", "GBP"
    )
    answer = ReadingAnswerer(0.0).answer(question, snippets)
    assert answer.answer_value == "14500"


def test_the_reader_is_built_from_settings():
    settings = Settings.model_validate({"answer": {"wrong_answer_penalty": 0.0}})
    assert build_answerer(settings).answer(Question("q", "Who sang?"), []).answer_value == "is_blank"


@pytest.mark.parametrize(("city", "value"), [("Windhoek", '"NA"'), ("Oslo", "NO"), ("Atlantis", "is_blank")])
def test_a_cell_that_reads_as_a_blank_is_a_value_in_quotation_marks(city, value):
    table = "| City | Country code |\n| --- | --- |\n| Windhoek | NA |\n| Oslo | NO |\n| Atlantis |  |"
    answerer = build_answerer(Settings())
    question = Question("q", f"Which country code does {city} have?")
    assert answerer.answer(question, [Snippet("d:1", "d", "Codes", None, table, 1, 1.0)]).answer_value == value
