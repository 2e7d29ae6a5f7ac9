"""Answers that the model reads."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.candidates import Candidate, read_candidates
from kohaku_lib.answering.extractive.reader.confidence import load_weights, probability
from kohaku_lib.answering.extractive.reader.reader import load_reader
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
UNRELATED = [
    Snippet(f"u{number}:sec1:p1", f"u{number}", f"Note {number}", None, text, 4, 0.5)
    for number, text in enumerate(
        (
            "The choir sang in the old mill on a rainy evening.",
            "| Bird | Eggs |\n| --- | --- |\n| Wren | 6 |\n| Owl | 3 |",
            "Photosynthesis turns light into sugar.",
        )
    )
]


def find(question, snippets, unit=None):
    return load_reader().find(read_question(Question("q", question, unit)), question, snippets)


def test_a_cell_is_found_by_its_row_and_its_column_and_quoted_with_its_row():
    found = find("What is the hotel limit per night in Manchester at Hollin Freight Services?", POLICY)
    assert (found.value, found.quote, found.document_ids) == ("£120", "| Manchester | £120 | £40 |", ("p",))
    assert found.confidence > 0.5


def test_a_sentence_that_gives_the_reason_is_surer_than_one_about_the_same():
    told = "The pool is shut on Mondays, because the filters are cleaned then."
    question = "Why is the pool shut on Mondays?"
    with_reason, without = (
        find(question, [Snippet("d:sec2:p1", "d", "", None, text, 1, 1.0)])
        for text in (told, "The pool is shut on Mondays, and the baths are open then.")
    )
    assert (with_reason.value, with_reason.confidence >= 0.75) == (told, True)
    assert without is None or without.confidence < with_reason.confidence


def test_another_row_and_another_firm_are_less_likely():
    question = "What is the hotel limit per night in {} at {}?"
    right, other_row, other_firm = (
        find(question.format(city, firm), POLICY).confidence
        for city, firm in (
            ("Manchester", "Hollin Freight"),
            ("Aberdeen", "Hollin Freight"),
            ("Manchester", "Brill Optics"),
        )
    )
    assert right > other_row
    assert right > other_firm


@settings(max_examples=8, deadline=None)
@given(st.permutations(UNRELATED), st.integers(0, 3))
def test_the_decision_does_not_depend_on_unrelated_passages(unrelated, count):
    question = "Within how many days are claims handed in?"
    alone, beside = find(question, POLICY), find(question, [*POLICY, *unrelated[:count]])
    assert (beside.value, beside.quote) == (alone.value, alone.quote)
    assert beside.confidence == pytest.approx(alone.confidence, abs=0.03)  # bfloat16, in other batches


def test_a_reason_is_a_sentence_and_a_summary_is_several():
    text = "The lift stood still. It was closed because its cable had worn out. It will open in May. Use the stairs."
    snippets = [Snippet("l:sec1:p1", "l", "Notice", None, text, 1, 1.0)]
    assert find("Why was the lift closed?", snippets).value == "It was closed because its cable had worn out."
    assert find("Summarise the notice about the lift.", snippets).value == text


def test_rows_that_share_a_named_cell_are_listed_and_counted():
    text = "| System | Owner |\n| --- | --- |\n| Payroll | Ann Fox |\n| Wiki | Bo Lund |\n| CRM | Ann Fox |"
    snippets = [Snippet("s:sec1:p1", "s", "Systems", None, text, 1, 1.0)]
    listed = find("Which systems does Ann Fox own?", snippets)
    assert json.loads(listed.value) == ["Payroll", "CRM"]
    assert listed.quote == "| Payroll | Ann Fox | … | CRM | Ann Fox |"
    assert find("How many systems does Ann Fox own?", snippets).value == "2"


def test_there_is_no_answer_without_passages():
    assert find("Who sang?", []) is None


def test_each_candidate_has_the_features_that_its_place_is_weighted_by():
    question = "How many eggs does the wren lay?"
    form = read_question(Question("q", question))
    candidates = read_candidates(load_reader().model, form, question, [*POLICY, *UNRELATED])
    weights = load_weights()
    assert {one.place for one in candidates} == {"sentence", "cell"}
    for one in candidates:
        assert set(one.features) | {"bias"} == set(weights[one.place])


def test_the_probability_is_the_logistic_function_of_the_weighted_features():
    candidate = Candidate("4", None, "cell", {"span": -1.0, "row_named": 2.0}, "")
    weights = {"cell": {"span": 0.5, "row_named": 1.0, "bias": -1.5}}  # -0.5 + 2 - 1.5 = 0
    assert probability(candidate, weights) == 0.5
