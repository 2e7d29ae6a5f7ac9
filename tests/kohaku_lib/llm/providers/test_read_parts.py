"""Replies that arrive in parts: each part is passed on, a whole one is recorded, and a cut one is a fault that was paid for."""

import json

import pytest
from answering_material import chat_request
from fake_time import FakeTime

from kohaku_lib import masking
from kohaku_lib.llm import CallError, CallLedger, Environment, Spending, build_chat
from kohaku_lib.llm.providers.openai_chat import OpenAIChat
from kohaku_lib.settings import LlmSettings
from kohaku_lib.testing.openai_server import OpenAIServer

TEXT = "one two three"


@pytest.fixture(autouse=True)
def _no_secrets(monkeypatch):
    """What ends like the beginning of a key that another test has used would be held back."""
    monkeypatch.setattr(masking, "_secrets", set())


def ask(server, parts, **settings):
    chat = OpenAIChat(LlmSettings(provider="openai", base_url=server.base_url, **settings), FakeTime().environment())
    return chat.complete(chat_request(on_text=parts.append, json_object=False))


def test_the_parts_make_up_the_reply_with_its_tokens():
    parts = []
    with OpenAIServer([{"kind": "ok", "text": TEXT}]) as server:
        reply = ask(server, parts)
        (sent,) = server.requests
    assert (parts, reply.text) == (["one ", "two ", "three"], TEXT)
    assert (reply.input_tokens, reply.output_tokens, reply.finish_reason) == (5, 3, "stop")
    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})


KEY = "sk-a1b2c3d4e5f6g7h8i9"


@pytest.mark.parametrize("size", [1, 3, 7, 11, 12, 13, 40])
def test_a_key_that_the_model_writes_in_parts_is_in_no_part_and_in_no_file(size, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    text = f"The key is {KEY}, twice: {KEY}{KEY}."
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    parts = []
    with OpenAIServer([{"kind": "ok", "pieces": pieces}]) as server:
        settings = LlmSettings(provider="openai", base_url=server.base_url)
        chat = build_chat(settings, CallLedger(tmp_path), FakeTime().environment())
        reply = chat.complete(chat_request(on_text=parts.append, json_object=False))
    assert reply.text == "".join(parts) == "The key is [key], twice: [key][key]."
    assert not any(KEY[:12].encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_without_a_listener_no_parts_are_asked_for():
    with OpenAIServer([{"kind": "ok", "text": TEXT}]) as server:
        OpenAIChat(LlmSettings(provider="openai", base_url=server.base_url), FakeTime().environment()).complete(
            chat_request()
        )
        assert "stream" not in server.requests[0]


def test_a_server_that_sends_the_reply_in_one_piece_is_understood():
    parts = []
    with OpenAIServer([{"kind": "ok", "text": TEXT, "whole": True}]) as server:
        assert ask(server, parts).text == TEXT
    assert parts == [TEXT]


def test_a_fault_before_the_first_part_is_retried():
    parts = []
    with OpenAIServer(
        [{"kind": "status", "status": 503}, {"kind": "cut", "parts": 0}, {"kind": "ok", "text": TEXT}]
    ) as server:
        assert ask(server, parts).attempts == 3
    assert "".join(parts) == TEXT


def test_a_parameter_that_the_server_refuses_is_left_out():
    fault = {"kind": "status", "status": 400, "message": "unknown parameter", "param": "stream_options"}
    with OpenAIServer([fault, {"kind": "ok", "text": TEXT}]) as server:
        assert ask(server, []).text == TEXT
        assert "stream_options" not in server.requests[1]


@pytest.mark.parametrize(
    ("fault", "why"),
    [({"parts": 2}, "the connection ended"), ({"parts": 2, "error": "out of memory"}, "out of memory")],
)
def test_a_reply_that_is_cut_is_an_error_with_what_arrived_and_no_second_call(fault, why):
    parts = []
    with (
        OpenAIServer([{"kind": "cut", "text": TEXT, **fault}]) as server,
        pytest.raises(CallError, match=why) as caught,
    ):
        ask(server, parts)
    assert len(server.requests) == 1
    assert (parts, caught.value.received) == (["one ", "two "], "one two ")


def test_a_cut_reply_is_recorded_as_a_fault_with_its_text_and_never_replayed(tmp_path):
    ledger = CallLedger(tmp_path)
    faults = [{"kind": "cut", "text": TEXT, "parts": 1}, {"kind": "ok", "text": TEXT}]
    with OpenAIServer(faults) as server:
        chat = build_chat(LlmSettings(provider="openai", base_url=server.base_url), ledger, Environment())
        with pytest.raises(CallError):
            chat.complete(chat_request(on_text=lambda part: None))
        assert chat.complete(chat_request(on_text=lambda part: None)).text == TEXT
        assert len(server.requests) == 2
    [path] = tmp_path.glob("*.jsonl")
    cut, whole = map(json.loads, path.read_text().splitlines())
    assert (cut["received"], cut["text"], whole["text"]) == ("one ", None, TEXT)


def test_a_recorded_reply_arrives_as_one_part(tmp_path):
    with OpenAIServer([{"kind": "ok", "text": TEXT}]) as server:
        settings = LlmSettings(provider="openai", base_url=server.base_url)
        build_chat(settings, CallLedger(tmp_path), Environment()).complete(chat_request())
        parts = []
        again = build_chat(settings, CallLedger(tmp_path), Environment())
        assert again.complete(chat_request(on_text=parts.append)).replayed
        assert (parts, len(server.requests)) == ([TEXT], 1)


def test_a_cut_reply_counts_against_the_budget():
    price = {"test-model": {"input_usd_per_million": 0.0, "output_usd_per_million": 1000.0}}
    spending = Spending()
    with OpenAIServer([{"kind": "cut", "text": TEXT, "parts": 1}]) as server:
        settings = LlmSettings(provider="openai", base_url=server.base_url, prices=price, max_cost_usd=1.0)
        chat = build_chat(settings, None, Environment(), spending)
        with pytest.raises(CallError):
            chat.complete(chat_request(on_text=lambda part: None))
    assert spending.paid_usd == pytest.approx(100 * 0.001)
