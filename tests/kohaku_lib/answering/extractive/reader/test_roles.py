"""Roles in lists of people."""

import pytest

from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.roles import find_holders
from kohaku_lib.tables import Question, Snippet

CLUB = (
    "Present: Ines Walk (chair), Bo Ek (treasurer), Tim Roe. Minutes: Ada Poe. Excused: Lu Hay and Mo Fay.\n"
    "- Dr Ann Oak, vet, cats and dogs\n- Dr Jo Elm, vet, horses\n- Sam Fir, groom"
)


def holder(question, text=CLUB, title="Elm riding club"):
    asked = Asked.of(read_question(Question("q", question)), question)
    found = find_holders(asked, [Snippet("d:sec1:p1", "d", title, None, text, 1, 1.0)])
    return None if found is None else found.value


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the chair of the Elm riding club?", "Ines Walk"),
        ("Who keeps the accounts of the riding club?", "Bo Ek"),
        ("Who looks after the money at Elm?", "Bo Ek"),
        ("Who took the minutes of the riding club?", "Ada Poe"),
        ("Which vets work for the riding club?", '["Ann Oak", "Jo Elm"]'),
        ("Who is the vet of the riding club?", None),
        ("Who is the groom of the riding club?", "Sam Fir"),
        ("Who was excused from the riding club?", None),
        ("Who is the chair of the Oak chess team?", None),
        ("When was the chair of the riding club elected?", None),
    ],
)
def test_who_has_a_role_is_read_where_one_person_has_it_in_the_named_club(question, expected):
    assert holder(question) == expected


def test_roles_are_read_behind_a_colon_and_never_from_a_part_of_a_word():
    text = "Leitung: Ute Moor. Verantwortlich: Kai Berg, Einkauf."
    assert holder("Wer leitet den Reitverein?", text, "Reitverein Elm") == "Ute Moor"
    assert holder("Wer leitet die Fuchsgruppe?", "Eltern: Jo Elm (Fuchs), Al Oak (Wolf).", "Kita") is None
    assert holder("Who is the chair of the club?", "Chair: B. Ode. Ann Lee (treasurer).", "Club") == "B. Ode"
    assert holder("Wer ist im Reitverein verantwortlich?", text, "Reitverein Elm") == "Kai Berg"
