"""Questions that only all rows of a table answer together, and rows that answer alone."""

import pytest

from kohaku_lib.answering.answer import NEEDS_WHOLE, SILENT, Answer, answer_by_passages
from kohaku_lib.answering.closest.closest import find_closest
from kohaku_lib.answering.closest.passage import LIKELY
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.answering.extractive.reader.whole_tables import asks_for_whole, lines_alone
from kohaku_lib.answering.extractive.reading_answerer import read_value
from kohaku_lib.tables import Question, Snippet

BOATS = "| Boat | Crew | Cost |\n| --- | --- | --- |\n| Anna | 4 | 900 EUR |\n| Berta | 7 | 1200 EUR |\n| Clara | 5 | 700 EUR |"
TREES = (
    "- Tree 1: height 12 m, planted by Ann\n- Tree 2: height 9 m, planted by Bo\n- Tree 3: height 15 m, planted by Cy"
)
BOOTE = "| Boot | Plätze | Preis |\n| --- | --- | --- |\n| Anna | 4 | 900 EUR |\n| Berta | 7 | 1200 EUR |"
CARS = "| Town | Cars |\n| --- | --- |\n| Graz | 60 |\n| Linz | 80 |"


def snippets_of(text):
    return [Snippet("d:sec2:p1", "d", "", None, text, 1, 1.0)]


def alone(question, text):
    [passage] = passages_of(snippets_of(text))
    return [line.quote for line in lines_alone(question, passage)]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many boats are listed in the table?", BOATS),
        ("How many boats does the list contain?", BOATS),
        ("What is the sum of the costs of all boats?", BOATS),
        ("What is the average cost of the boats?", BOATS),
        ("Which boat has the largest crew?", BOATS),
        ("Which boat has the fewest crew members?", BOATS),
        ("How many trees are recorded?", TREES),
        ("Wie viele Boote sind aufgeführt?", BOOTE),
        ("Wie viele Boote gibt es?", BOOTE),
        ("Welches Boot hat die meisten Plätze?", BOOTE),
        ("Was ist der durchschnittliche Preis der Boote?", BOOTE),
    ],
)
def test_no_single_row_or_item_answers_for_all_and_the_blank_says_so(question, text):
    assert alone(question, text) == []
    asked = Question("q", question)
    assert read_value(read_question(asked), asked, snippets_of(text)) is None
    beside = Snippet("d:sec1:p1", "d", "", None, "The harbour lies in the north.", 2, 1.0)
    closest = find_closest(asked, [*snippets_of(text), beside])
    assert all(one.score < LIKELY for one in closest.passages)
    answer = answer_by_passages(Answer(question=question, text="", value=None), closest)
    assert (answer.outcome, answer.text, answer.confidence) == ("silent", NEEDS_WHOLE, None)
    assert answer.as_json()["needs_whole"]


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        # the row says that it is the whole
        ("Was kosten alle zusammen?", BOOTE + "\n| Summe | 11 | 2100 EUR |", ["| Summe | 11 | 2100 EUR |"]),
        ("What is the average height?", TREES + "\n- Average height: 12 m", ["- Average height: 12 m"]),
        # a row or item of its own for what is asked
        ("How many boats are registered?", "| Boats | 12 |\n| Oldest boat | Anna |", ["| Boats | 12 |"]),
        ("Wie viele Boote sind eingetragen?", "- Boote: 12\n- Neue Boote: Anna, Clara", ["- Boote: 12"]),
        ("How many cars are registered in Graz?", CARS, ["| Graz | 60 |"]),
        ("What is the largest cost of Berta?", BOATS, ["| Berta | 7 | 1200 EUR |"]),
    ],
)
def test_a_row_that_says_it_is_the_whole_or_is_named_answers_alone(question, text, expected):
    assert alone(question, text) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many crew members has Berta?",
        "What does this word mean?",
        "How many must be there at least?",
        "Wie viele Plätze hat Anna?",
        "",
    ],
)
def test_other_questions_leave_all_rows(question):
    assert not asks_for_whole(question)
    assert len(alone(question, BOATS)) == 3


def test_sentences_and_a_single_row_stay():
    prose = "The club has 57 members. The oldest is Ann. In all they paid 90 EUR."
    assert len(alone("How many members are listed?", prose)) == 3
    assert alone("What is the total?", "| Sum due |\n| --- |\n| 90 EUR |") != []
    closest = find_closest(Question("q", "How many trees are listed?"), snippets_of(f"We have 57 trees.\n\n{TREES}"))
    assert closest.passages[0].text[slice(*closest.passages[0].marked)].startswith("57")


@pytest.mark.parametrize(
    "question", ["What is the largest city of Norway?", "How many members are listed?", "Welche Stadt ist die größte?"]
)
def test_a_table_of_other_things_is_not_what_it_takes(question):
    closest = find_closest(Question("q", question), snippets_of(BOATS))
    answer = answer_by_passages(Answer(question=question, text="", value=None), closest)
    assert (answer.outcome, answer.text) == ("silent", SILENT)
