"""An answer that cites what does not exist keeps its value where a snippet holds its quote or states its value."""

import pytest
from answering_material import snippet

from kohaku_lib.answering.citing.checked_answer import checked_answer
from kohaku_lib.answering.citing.missing_source import find_source
from kohaku_lib.tables import Question, StructuredAnswer

QUESTION = Question("q1", "How heavy is it?", "kg")
SHELF = [
    snippet("It is 41 years old.", "age"),
    snippet("It weighs 41 kg in all.", "weight", 2),
    snippet("So it weighs 41 kg, they say.", "hearsay", 3),
]


def answer(refs, value="41", quote=None):
    return StructuredAnswer(value, value, tuple(refs), "Stated.", quote)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("So it weighs 41 kg", ("hearsay", "quote")),
        ("It weighs forty-one kilograms.", ("weight", "value")),
        (None, ("weight", "value")),
    ],
)
def test_the_quote_finds_the_source_and_else_the_value_in_its_unit(quote, found):
    assert find_source(QUESTION, answer(["excerpts"], quote=quote), SHELF) == found


@pytest.mark.parametrize("ref", ["excerpts", "excerpts 4aa1264af757", "source 1", "the second excerpt"])
def test_an_answer_that_cites_only_what_does_not_exist_cites_its_source(ref):
    checked = checked_answer(QUESTION, answer([ref]), SHELF)
    assert (checked.answer.answer_value, checked.answer.ref_id) == ("41", ("weight",))
    assert (checked.dropped_refs, checked.source_found_by) == (1, "value")


def test_a_value_that_no_snippet_states_has_no_source():
    checked = checked_answer(QUESTION, answer(["excerpts"], value="43"), SHELF)
    assert (checked.answer.ref_id, checked.dropped_refs, checked.source_found_by) == ((), 1, None)


def test_a_truth_value_is_found_by_its_quote_alone():
    question = Question("q2", "True or false: it weighs 41 kg in all.")
    assert find_source(question, answer(["x"], value="1"), SHELF) is None
    assert find_source(question, answer(["x"], "1", "It weighs 41 kg in all."), SHELF) == ("weight", "quote")


def test_a_document_that_exists_but_was_not_shown_is_replaced_by_none():
    checked = checked_answer(QUESTION, answer(["secret"]), SHELF, {"age", "weight", "hearsay", "secret"})
    assert (checked.answer.ref_id, checked.dropped_refs, checked.source_found_by) == ((), 1, None)


@pytest.mark.parametrize("refs", [["age"], ["age", "excerpts"], []])
def test_a_source_that_exists_and_an_answer_without_any_stay_as_they_are(refs):
    checked = checked_answer(QUESTION, answer(refs, quote="It weighs 41 kg in all."), SHELF)
    assert (checked.answer.ref_id, checked.source_found_by) == (tuple(refs[:1]), None)
