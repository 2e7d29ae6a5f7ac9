"""A chat model that the built-in reader checks (answer.by = "checked")."""

import json

import pytest
from answering_material import chat_settings, snippet

from kohaku_lib.answering import Engine, GivenParts, build_answerer
from kohaku_lib.answering.building import built_in_reader
from kohaku_lib.answering.labels import READER
from kohaku_lib.llm import CallError, build_chat
from kohaku_lib.retrieval.planning.plan_rows import as_plan
from kohaku_lib.tables import Question, RetrievalResult
from kohaku_lib.testing.openai_server import OpenAIServer

HOTLINE = "On 6 November the order service was down for two hours. 46 customers called the hotline."
PASSAGES = (snippet(HOTLINE, "incident"), snippet("The canteen of the depot opens at 7:30 on weekdays.", "canteen", 2))
ASKED = Question("q1", "How many customers called the hotline?")


def told(question, reply, *, by="checked", is_tolerant=True, faults=()):
    with OpenAIServer(faults, reply=lambda request: json.dumps(reply)) as server:
        settings = chat_settings(server.base_url, answer={"by": by, "max_retries": 0}, llm={"call_retries": 0})
        answerers = [build_answerer(settings, build_chat(settings.llm)), built_in_reader(settings)]
        engine = Engine(settings, GivenParts(answerers[: 2 if by == "checked" else 1]))
        context = RetrievalResult(as_plan((question.id, [question.text])), snippets=PASSAGES)
        answer = engine.answer(question, context, is_tolerant=is_tolerant)
        return engine.with_passages(question, answer)


def reply(value, number, quote=""):
    return {"answer": str(value), "answer_value": value, "ref_id": [number], "supporting_materials": quote}


def test_a_value_of_the_model_that_its_line_bears_out_stays_with_a_likelihood():
    answer = told(ASKED, reply("46", 1, "46 customers called the hotline."))
    assert (answer.value, answer.outcome, answer.answered_by) == ("46", "value", "test-model")
    assert 0.5 < answer.confidence < 1.0
    assert [citation.document_id for citation in answer.citations] == ["incident"]


@pytest.mark.parametrize(
    ("question", "value", "quote"),
    [
        ("What colour is the roof of the chapel?", "red", ""),
        ("How many bicycles does the ferry to Nida carry?", "46", "46 customers called the hotline."),
    ],
)
def test_a_value_for_what_no_passage_answers_is_none(question, value, quote):
    asked = Question("q1", question)
    assert (told(asked, reply(value, 1, quote), by="model").value is None) is (not quote)
    answer = told(asked, reply(value, 1, quote))
    assert (answer.value, answer.outcome) == (None, "silent")
    assert answer.warning == (None if quote else "The model said “red”, which no passage states.")


@pytest.mark.parametrize("value", ["is_blank", "9"])
def test_where_the_model_has_no_value_or_an_unlikely_one_the_reader_answers(value):
    answer = told(ASKED, reply(value, 1))
    assert (answer.value, answer.answered_by) == ("46", READER)
    assert [one["reader_value"] for one in answer.trace.attempts] == ["46"]
    assert answer.warning == ("The model said “9”, which no passage states." if value == "9" else None)
    assert answer.confidence > 0.5


def test_where_the_model_fails_the_reader_answers_unless_another_run_may_have_its_answer():
    answer = told(ASKED, reply("46", 1), faults=[{"kind": "status", "status": 500}])
    assert (answer.value, answer.answered_by) == ("46", READER)
    assert "500" in answer.trace.answer.warning
    with pytest.raises(CallError):
        told(ASKED, reply("46", 1), is_tolerant=False, faults=[{"kind": "status", "status": 500}])


def test_where_model_and_reader_have_no_value_the_reader_is_told_as_the_one_who_answers():
    asked = Question("q1", "Why did so many customers call the hotline?")
    answer = told(asked, reply("46", 1), faults=[{"kind": "status", "status": 500}])
    assert (answer.value, answer.answered_by) == (None, READER)
    assert "500" in answer.trace.answer.error
