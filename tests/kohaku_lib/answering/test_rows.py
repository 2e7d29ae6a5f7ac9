"""Rows of predictions: what a cell holds when a part of the answer is missing."""

import json

import pyarrow as pa
import pytest
from answering_material import snippet

from kohaku_lib.answering import document_metadata
from kohaku_lib.answering.answer import answer_of, failed_answer
from kohaku_lib.answering.deepening import AnswerTrace
from kohaku_lib.answering.rows import EnsembleMember, answer_row
from kohaku_lib.tables import PREDICTIONS, Question, StructuredAnswer

MEMBER, QUESTION = EnsembleMember(2, "model.2"), Question("q1", "How heavy?", "kg")
DOCUMENTS = {
    "doc": {"url": "https://doc.org", "title": "The doc", "citation": "Doc 2025"},
    "other": {"url": " ", "title": "Other", "citation": "n/a"},
}
SNIPPET = snippet("It weighs 42 kg in all.")
ANSWER = StructuredAnswer("42 kg", "42", ("doc",), "Stated.", confidence=0.8)


def row(documents=DOCUMENTS, attempts=({},), as_recorded=False, snippets=(SNIPPET,), **parts):
    answer = StructuredAnswer(
        **{"answer": "42 kg", "answer_value": "42", "ref_id": ("doc",), "explanation": "Stated."} | parts
    )
    outcome = AnswerTrace(answer, snippets, tuple(attempts))
    made = answer_row(MEMBER, QUESTION, answer_of(QUESTION, outcome, as_recorded=as_recorded), documents)
    pa.RecordBatch.from_pylist([made], PREDICTIONS)
    return made


def test_a_row_names_its_run_and_question():
    assert [row()[name] for name in ("run", "run_label", "id", "question", "answer_unit")] == [
        2,
        "model.2",
        "q1",
        "How heavy?",
        "kg",
    ]


def test_a_verified_quote_is_the_material_and_otherwise_the_citation_or_title_of_each_document():
    assert row(quote="weighs 42 kg")["supporting_materials"] == "weighs 42 kg"
    assert row(quote="weighs 43 kg", ref_id=("doc", "other"))["supporting_materials"] == "Doc 2025 | Other"


def test_a_document_without_metadata_leaves_the_quote_or_nothing():
    assert row(documents={}, quote="weighs 43 kg")["supporting_materials"] == "weighs 43 kg"
    assert row(documents={})["supporting_materials"] == "is_blank"


def test_cited_ids_become_addresses_and_blank_addresses_are_left_out():
    assert row(ref_id=("doc", "other", "unknown"))["ref_url"] == ["https://doc.org"]


def test_empty_texts_fall_back_to_the_value_and_the_quote():
    made = row(answer="", explanation="", quote="weighs 42 kg")
    assert (made["answer"], made["explanation"]) == ("42", "weighs 42 kg")


@pytest.mark.parametrize("parts", [{"ref_id": ()}, {"answer_value": "n/a"}])
def test_an_incomplete_answer_is_blank_throughout_unless_it_is_recorded(parts):
    made = row(**parts, confidence=0.9, raw_response="{}")
    cells = ("answer", "answer_value", "explanation", "supporting_materials")
    assert {made[name] for name in cells} == {"is_blank"}
    assert (made["ref_id"], made["ref_url"], made["confidence"], made["raw_response"]) == ([], [], None, "{}")
    recorded = row(**parts, as_recorded=True)
    assert (recorded["answer_value"], recorded["ref_id"]) == (
        parts.get("answer_value", "42"),
        list(parts.get("ref_id", ("doc",))),
    )


def test_attempts_are_counted_and_traced():
    made = row(attempts=({"depth": 1}, {"depth": 2}))
    assert (made["attempts"], json.loads(made["trace_json"])) == (2, {"attempts": [{"depth": 1}, {"depth": 2}]})


def test_a_failed_question_has_a_blank_row_with_its_error():
    question = Question("q1", "?", None)
    made = answer_row(MEMBER, question, failed_answer(question, "the server is down"), {})
    assert (made["answer_value"], made["answer_unit"], made["error"], made["attempts"]) == (
        "is_blank",
        "is_blank",
        "the server is down",
        0,
    )


def test_an_answer_that_came_in_the_end_has_no_error():
    assert row(error="context_overflow")["error"] is None


def test_only_parsed_documents_have_metadata():
    table = pa.table(
        {
            "document_id": ["a", "b"],
            "title": ["A", "B"],
            "metadata_json": ['{"url": "u", "title": "old"}', "{}"],
            "status": ["parsed", "failed"],
        }
    )
    assert document_metadata(table) == {"a": {"url": "u", "title": "A"}}


def test_a_row_names_the_lost_channels():
    made = answer_row(MEMBER, QUESTION, answer_of(QUESTION, AnswerTrace(ANSWER), {"dense": "geöffnet"}, 0.5), DOCUMENTS)
    assert json.loads(made["trace_json"]) == {"attempts": [], "lost_channels": {"dense": "geöffnet"}}
    assert "geöffnet" in made["trace_json"]
    assert made["confidence"] == 0.4


def test_a_bare_number_has_the_unit_of_its_quote_where_none_was_asked_for():
    question, quoted = (
        Question("q1", "How heavy?"),
        StructuredAnswer("42", "42", ("doc",), "", quote="weighs 42 kg in all"),
    )
    found = answer_of(question, AnswerTrace(quoted, (SNIPPET,)))
    made = answer_row(MEMBER, question, found, DOCUMENTS)
    assert (made["answer"], made["answer_value"], made["answer_unit"], found.unit) == ("42 kg", "42", "is_blank", "kg")
    asked = answer_of(Question("q1", "How heavy?", "g"), AnswerTrace(quoted, (SNIPPET,)))
    assert (asked.text, asked.unit) == ("42", "g")
