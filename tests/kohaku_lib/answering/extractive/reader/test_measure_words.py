"""Measures that are asked for by a verb or an adjective, where a table names them by a noun."""

import pytest

from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.measure_words import in_nouns_of
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.answering.extractive.reader.reader import load_reader
from kohaku_lib.answering.extractive.reader.wordings import read_in_own_words
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.tables import Question, Snippet

TOURS = (
    "| Tour | Price in EUR | Duration | Length |\n| --- | --- | --- | --- |\n| Harbour | 24 | 3 hours | 9 km |\n"
    "| Forest | 31 | 5 hours | 14 km |"
)
DOGS = (
    "| Dog | Weight | Height | Age |\n| --- | --- | --- | --- |\n| Bella | 31 kg | 62 cm | 4 years |\n"
    "| Rocko | 12 kg | 38 cm | 9 years |"
)
ROOMS = (
    "| Raum | Miete | Breite | Alter |\n| --- | --- | --- | --- |\n| Saal | 410 EUR | 12 m | 80 Jahre |\n"
    "| Keller | 95 EUR | 4 m | 60 Jahre |"
)


def answer(question, table, unit=None):
    snippets = [Snippet("d:sec2:p1", "d", "", None, table, 1, 1.0)]
    return ReadingAnswerer(load_reader()).answer(Question("q", question, unit), snippets).answer_value


@pytest.mark.parametrize(
    ("question", "table", "unit", "value"),
    [
        ("What does the tour Harbour cost?", TOURS, "EUR", "24"),
        ("How much does the tour Forest cost?", TOURS, "EUR", "31"),
        ("How much do you charge for the tour Forest?", TOURS, "EUR", "31"),
        ("How much must I pay for the tour Harbour?", TOURS, "EUR", "24"),
        ("How expensive is the tour Forest?", TOURS, "EUR", "31"),
        ("What does Rocko weigh?", DOGS, "kg", "12"),
        ("How heavy is Bella?", DOGS, "kg", "31"),
        ("How tall is Rocko?", DOGS, "cm", "38"),
        ("How old is Bella?", DOGS, "years", "4"),
        ("How long is the tour Forest?", TOURS, "km", "14"),
        ("How long does the tour Forest take?", TOURS, "hours", "5"),
        ("Was kostet der Saal?", ROOMS, "EUR", "410"),
        ("Wie viel zahlt man für den Keller?", ROOMS, "EUR", "95"),
        ("Wie breit ist der Saal?", ROOMS, "m", "12"),
    ],
)
def test_a_verb_or_an_adjective_asks_for_the_column_of_its_measure(question, table, unit, value):
    assert answer(question, table, unit) == value


@pytest.mark.parametrize(
    ("question", "table", "unit"),
    [
        ("What does the tour Mountain cost?", TOURS, "EUR"),
        ("What does Bella cost?", DOGS, "EUR"),
        ("What does the tour Harbour weigh?", TOURS, "kg"),
        ("Was kostet der Dachboden?", ROOMS, "EUR"),
    ],
)
def test_neither_another_row_nor_another_measure_answers(question, table, unit):
    assert answer(question, table, unit) == "is_blank"


@pytest.mark.parametrize(
    ("question", "names", "told"),
    [
        ("What does entry cost per day?", ["Fee per hour", "Fare per day"], "What is the fare of entry per day?"),
        ("What is charged for the key?", ["Deposit", "Fee"], "What is the fee of the key?"),
        ("And how deep is the lake?", ["Depth (m)"], "And what depth is the lake?"),
        ("How far is Linz?", ["Distance"], "What distance is Linz?"),
        ("Was wiegt der Koffer?", ["Gewicht"], "Wie hoch ist das Gewicht für Koffer?"),
        ("Was kosten die Karten?", ["Grundgebühr"], "Wie hoch ist die Grundgebühr für Karten?"),
    ],
)
def test_the_noun_is_that_of_the_name_with_most_words_of_the_question(question, names, told):
    assert in_nouns_of(question, names) == told


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What does entry cost?", ["Cost in EUR", "Price"]),  # it has the very word
        ("What does entry cost?", ["Seats", "Built"]),
        ("Which tours cost less in May?", ["Months"]),
        ("What is the weight of the bell?", ["Mass"]),  # asked by a noun
        ("How many days does it take?", ["Length"]),
        ("Who pays for the tickets?", ["Price"]),
        ("Wer zahlt die Karten?", ["Preis"]),
        ("Where is the oldest oak?", ["Age"]),
        ("", ["Price"]),
        ("What does entry cost?", []),
    ],
)
def test_a_question_stays_where_no_name_has_a_noun_for_it(question, names):
    assert in_nouns_of(question, names) == question


def test_a_column_that_the_question_names_goes_before_the_adjective_beside_it():
    halls = "| Hall | Rent in EUR | Height in m |\n| --- | --- | --- |\n| North | 400 | 5 |\n| South | 300 | 4 |"
    assert answer("How high is the rent in EUR of hall North?", halls) == "400"
    assert answer("How high is hall South?", halls, "m") == "4"


@pytest.mark.parametrize(("unit", "is_worded"), [("EUR", True), (None, True), ("m", False), ("kg", False)])
def test_a_column_in_another_measure_than_the_asked_unit_is_not_meant(unit, is_worded):
    table = "| Lens | Price |\n| --- | --- |\n| Nova | 349 EUR |\n| Orion | 420 EUR |"
    question = "What does the lens Nova cost?"
    asked = Asked.of(read_question(Question("q", question, unit)), question)
    passages = passages_of([Snippet("d:sec2:p1", "d", "", None, table, 1, 1.0)])
    [(worded, _)] = read_in_own_words(load_reader().model, asked.form, asked, passages)
    assert (worded.text == "What is the price of the lens Nova?") is is_worded
