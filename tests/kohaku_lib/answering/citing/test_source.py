"""An answer keeps its value: what it cites wrongly or not at all is found by its quote or its value, else it is doubted."""

from dataclasses import replace

import pytest
from answering_material import snippet

from kohaku_lib.answering.citing.checked_answer import checked_answer
from kohaku_lib.answering.citing.source import find_source
from kohaku_lib.answering.figures import FigureSnippet
from kohaku_lib.tables import Question, StructuredAnswer

QUESTION = Question("q1", "How heavy is it?", "kg")
SHELF = [
    snippet("It is 41 years old.", "age"),
    snippet("It weighs 41 kg in all.", "weight", 2),
    snippet("So it weighs 41 kg, they say.", "hearsay", 3),
]


def answer(refs, value="41", quote=None):
    return StructuredAnswer(value, value, tuple(refs), "Stated.", quote)


def found(question, told):
    source = find_source(question, told, SHELF)
    return source.snippet.document_id, source.found_by


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("So it weighs 41 kg", ("hearsay", "quote")),
        ("It weighs forty-one kilograms in all.", ("weight", "value")),
        ("They say so of 41 kg, it weighs.", ("hearsay", "value")),  # both state the value; the closer one in words
        (None, ("weight", "value")),
    ],
)
def test_the_quote_finds_the_source_and_else_the_value_in_its_unit(quote, source):
    assert found(QUESTION, answer(["excerpts"], quote=quote)) == source


@pytest.mark.parametrize("refs", [["excerpts"], ["excerpts 4aa1264af757"], ["the second excerpt"], []])
def test_an_answer_that_cites_nothing_that_exists_cites_its_source(refs):
    checked = checked_answer(QUESTION, answer(refs), SHELF)
    assert (checked.answer.answer_value, checked.answer.ref_id) == ("41", ("weight",))
    assert (checked.dropped_refs, checked.source_found_by, checked.is_doubted) == (len(refs), "value", False)
    assert (checked.answer.cited_nodes, checked.answer.confidence) == (("weight:sec1:p2",), None)
    assert checked.answer.explanation == "Stated. (Source found by the value.)"


@pytest.mark.parametrize(
    ("quote", "found_by"), [("It weighs 41 kg in all.", "quote"), ("It weighs 41 kilograms altogether.", "value")]
)
def test_a_wrong_source_is_replaced_by_the_excerpt_that_holds_the_quote_or_the_value(quote, found_by):
    for refs in (["age"], ["age", "excerpts"]):
        checked = checked_answer(QUESTION, answer(refs, quote=quote), SHELF)
        assert (checked.answer.ref_id, checked.source_found_by) == (("weight",), found_by)


def test_a_source_that_states_the_value_stays_whatever_other_excerpt_states_it_or_holds_the_quote():
    for quote in ("So it weighs 41 kg, they say.", "It is 41 years old."):
        checked = checked_answer(QUESTION, answer(["weight"], quote=quote), SHELF[:2])
        assert (checked.answer.ref_id, checked.source_found_by, checked.is_doubted) == (("weight",), None, False)
        assert checked.answer.explanation == "Stated."


@pytest.mark.parametrize(("refs", "cited"), [(["age"], "age"), (["excerpts"], "hearsay")])
def test_a_value_that_no_excerpt_states_is_doubted_and_cites_the_excerpt_that_comes_closest(refs, cited):
    checked = checked_answer(QUESTION, answer(refs, value="43", quote="So they say it weighs 43 kg."), SHELF)
    assert (checked.answer.answer_value, checked.answer.ref_id) == ("43", (cited,))
    assert (checked.is_doubted, checked.answer.confidence) == (True, 0.3)
    assert checked.answer.explanation == "No excerpt states this value: Stated."
    assert checked.source_found_by == ("words" if refs == ["excerpts"] else None)


def test_a_guess_is_no_surer_for_being_doubted_and_no_less():
    guess = replace(answer(["age"], value="43"), confidence=0.1)
    assert checked_answer(QUESTION, guess, SHELF).answer.confidence == 0.1


def test_a_value_in_a_heading_is_stated():
    placed = replace(SHELF[0], heading="Weight 43 kg")
    assert not checked_answer(QUESTION, answer(["age"], value="43"), [placed]).is_doubted


def test_a_truth_value_is_found_by_its_quote_and_doubted_only_without_any_source():
    question = Question("q2", "True or false: it weighs 41 kg in all.")
    assert found(question, answer(["x"], "1", "It weighs 41 kg in all.")) == ("weight", "quote")
    for refs, is_doubted in ((["age"], False), (["x"], True)):
        checked = checked_answer(question, answer(refs, value="1"), SHELF)
        assert checked.is_doubted == is_doubted
        assert checked.answer.ref_id == (("age",) if refs == ["age"] else ("weight",))


def test_a_value_read_from_a_picture_that_was_sent_is_neither_moved_nor_doubted():
    picture = FigureSnippet("img:plot:p1:i1", "plot", "", 1, "", 4, 0.0, searched=True)
    checked = checked_answer(QUESTION, answer(["plot"], value="41"), [*SHELF, picture])
    assert (checked.answer.ref_id, checked.source_found_by, checked.is_doubted) == (("plot",), None, False)


def test_a_document_that_exists_but_was_not_shown_is_replaced_by_none():
    checked = checked_answer(QUESTION, answer(["secret"]), SHELF, {"age", "weight", "hearsay", "secret"})
    assert (checked.answer.ref_id, checked.dropped_refs, checked.source_found_by) == ((), 1, None)


def test_a_blank_answer_cites_what_it_cites():
    checked = checked_answer(QUESTION, answer(["excerpts"], value="is_blank", quote="It weighs 41 kg in all."), SHELF)
    assert (checked.answer.ref_id, checked.source_found_by, checked.is_doubted) == ((), None, False)
