"""Replies and ledger lines that nothing can store cost their own question, and no run."""

import json

import pytest
from answering_material import chat_settings, contexts_table, questions_table, snippet

from kohaku_lib.answering import Engine, GivenParts, answer_questions, build_answerer
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import CallLedger, build_chat
from kohaku_lib.testing.openai_server import OpenAIServer

QUESTIONS = questions_table(*((f"q{number}", f"How heavy is it, {number}?", "kg") for number in range(1, 7)))
CONTEXTS = contexts_table({f"q{number}": [snippet("It weighs 4 kg.")] for number in range(1, 7)})


def answered(server, ledger, **llm):
    settings = chat_settings(server.base_url, answer={"max_retries": 0})
    chosen = settings.model_copy(update={"llm": settings.llm.model_copy(update={"max_concurrent": 1, **llm})})
    answerer = build_answerer(chosen, build_chat(chosen.llm, CallLedger(ledger)))
    return answer_questions(QUESTIONS, CONTEXTS, Engine(chosen, GivenParts([answerer], None, {})))


HOSTILE = [
    r'{"answer": "\ud800", "answer_value": "4\udfff", "ref_id": ["d\ud83d"], "supporting_materials": "\ud800"}',
    '{"answer": "x", "answer_value": ' + "9" * 5000 + ', "ref_id": ["doc"]}',
    '{"answer": "x", "answer_value": 1e999, "ref_id": ["doc"]}',
    '{"answer": ' + "[" * 5000 + "]" * 5000 + ', "answer_value": "4"}',
    '{"answer_value": {"value": {"value": {"value": "\\u0000"}}}, "ref_id": {"a": [1e400]}}',
    '{"answer": ["\ud800"], "answer_value": ["\ud800"]}',
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_reply_that_cannot_be_stored_ends_no_run_now_or_when_it_is_replayed(text, tmp_path):
    with OpenAIServer(reply=lambda body: text) as server:
        first, _ = answered(server, tmp_path)
        asked = len(server.requests)
        again, _ = answered(server, tmp_path)
        unusable = sum(error is not None for error in first.column("error").to_pylist())
        assert len(server.requests) == asked + unusable
    assert first.num_rows == again.num_rows == 6
    first.validate(full=True)
    assert first.column("answer_value").to_pylist() == again.column("answer_value").to_pylist()


DAMAGE = [
    {"text": "a\ud800"},
    {"text": None},
    {"text": 7},
    {"input_tokens": "many", "cost_usd": [1], "latency_s": {}, "attempts": None, "finish_reason": 5},
    {"input_tokens": 10**400, "output_tokens": -1, "cost_usd": float("nan"), "first_token": [[1]]},
    {"key": ["k"]},
    {"error": 7},
]


@pytest.mark.parametrize("damage", DAMAGE, ids=range(len(DAMAGE)))
def test_a_damaged_line_of_the_ledger_is_used_as_far_as_it_can_be_or_asked_again(damage, tmp_path):
    with OpenAIServer() as server:
        answered(server, tmp_path)
        (path,) = tmp_path.glob("*.jsonl")
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        path.write_text("".join(json.dumps(line | damage) + "\n" for line in lines) + "[[[\n" + "[" * 100_000 + "\n7\n")
        table, report = answered(server, tmp_path)
    assert (table.num_rows, report.metrics["failed"]) == (6, 0)
    table.validate(full=True)


def test_a_server_that_takes_no_more_calls_ends_the_run_with_its_reason_and_keeps_what_is_paid(tmp_path):
    good = {"kind": "ok"}
    busy = {"kind": "status", "status": 429, "message": "daily limit", "headers": {"Retry-After": "90000"}}
    with OpenAIServer([good, good, *[busy] * 9]) as server:
        with pytest.raises(
            ModelError, match=r"daily limit \(the server asks to wait 90000 s\); the remaining questions were not sent"
        ):
            answered(server, tmp_path)
        assert len(server.requests) == 3
        assert len(CallLedger(tmp_path)) == 2
        server.faults.clear()
        table, _ = answered(server, tmp_path)
        assert (table.num_rows, len(server.requests)) == (6, 7)
