"""Served questions are rows with their newest feedback and their cost, for their tenant and user alone."""

import json

import pytest
from answering_material import chat_request

from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.served_questions import ServedQuestions
from kohaku_lib.conversation.request import AssistantRequest, RequestError
from kohaku_lib.conversation.response.response import Response, Source, Sufficiency
from kohaku_lib.llm import CallLedger, ChatReply

SOURCE = Source("d", "d.pdf", "D", "d:p1", 3, "text", 1.0, 0.6, cited=True)


@pytest.fixture
def engine(tmp_path):
    opened = open_database(tmp_path)
    yield opened
    opened.dispose()


def serve(served, answer_id, user_id="ann", **changes):
    values = {"content": "4 kg", "question": "How heavy is it?", "session_id": "s", "answer_id": answer_id} | changes
    served.add(AssistantRequest(message="its weight?", user_id=user_id, intelligence_level="basic"), Response(**values))


def test_a_row_holds_what_was_asked_found_and_answered(engine):
    served = ServedQuestions(engine, "default")
    about = {"sources": (SOURCE,), "confidence_score": 0.6, "context_sufficiency": Sufficiency(True, 0.7)}
    serve(served, "a1", index_version="v1", timings_ms={"read": 2.5}, trace={"queries": ["weight"]}, **about)
    [row] = served.table().to_pylist()
    assert (row["message"], row["question"], row["answer"]) == ("its weight?", "How heavy is it?", "4 kg")
    assert (row["confidence"], row["coverage"], row["level"], row["index_version"]) == (0.6, 0.7, "basic", "v1")
    assert json.loads(row["sources_json"]) == [
        {
            "chunk_id": "d:p1",
            "document_id": "d",
            "document_name": "d.pdf",
            "document_title": "D",
            "heading": "",
            "page_number": 3,
            "cited": True,
            "quote": "",
            "marked": None,
            "char_start": None,
            "char_end": None,
        }
    ]
    assert json.loads(row["trace_json"]) == {"queries": ["weight"]}
    assert json.loads(row["timings_json"]) == {"read": 2.5}
    assert (row["rating"], row["cost_usd"]) == (None, None)


def test_the_newest_feedback_counts(engine):
    served = ServedQuestions(engine, "default")
    for answer_id in ("a1", "a2"):
        serve(served, answer_id)
    served.judge("a1", 1, "ann")
    served.judge("a1", -1, "ann", "5 kg", "e")
    first, second = served.table().to_pylist()
    assert (first["rating"], first["correction"], first["right_source"]) == (-1, "5 kg", "e")
    assert second["rating"] is None


@pytest.mark.parametrize(
    ("answer_id", "rating", "user_id", "org_id", "sentence"),
    [
        ("a1", 0, "ann", "default", "a rating is 1 or -1, got 0"),
        ("a9", 1, "ann", "default", "there is no answer 'a9' of yours"),
        ("a1", 1, "bob", "default", "there is no answer 'a1' of yours"),
        ("a1", 1, "ann", "other", "there is no answer 'a1' of yours"),
    ],
)
def test_feedback_is_for_ones_own_answers(engine, answer_id, rating, user_id, org_id, sentence):
    serve(ServedQuestions(engine, "default"), "a1")
    with pytest.raises(RequestError, match=sentence):
        ServedQuestions(engine, org_id).judge(answer_id, rating, user_id)


def test_a_tenant_sees_its_own_rows(engine):
    serve(ServedQuestions(engine, "default"), "a1")
    serve(ServedQuestions(engine, "other"), "a2")
    assert ServedQuestions(engine, "other").table().column("answer_id").to_pylist() == ["a2"]


def test_the_cost_of_a_question_is_that_of_its_calls(engine, tmp_path):
    served, ledger = ServedQuestions(engine, "default"), CallLedger(tmp_path / "llm_calls")
    serve(served, "a1")
    serve(served, "a2")
    for seed, question_id in enumerate(("a1", "a1", "a3")):
        reply = ChatReply("text", 1, 0, 1, 0.25, 0.1, 1, "stop")
        ledger.record("openai", chat_request(question_id, seed=seed), reply)
    ledger.close()
    assert served.table(tmp_path / "llm_calls").column("cost_usd").to_pylist() == [0.5, None]
