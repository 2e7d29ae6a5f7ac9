"""Replies that arrive in parts: each part is passed on, a whole one is recorded, and a cut one is a fault that was paid for."""

import json
import socket

import pytest
from answering_material import chat_request
from fake_time import FakeTime
from raw_server import RawServer, drips, sends

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


def event(text=None, **more):
    return json.dumps({"choices": [{"delta": {"content": text}, **more}]}).encode()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
STOP = event(finish_reason="stop")


def streamed(*events, parts=None, end=b"\n\n"):
    """Return the reply that a server sends as `events`."""
    body = b"\n\n".join(b"data: " + one for one in events) + end

    def script(connection, head):
        connection.sendall(HEAD + body)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):  # unread bytes of the request would reset the connection
            pass

    with RawServer(script) as server:
        settings = LlmSettings(provider="openai", base_url=server.url, call_retries=0)
        chat = OpenAIChat(settings, FakeTime().environment())
        return chat.complete(chat_request(on_text=([] if parts is None else parts).append, json_object=False))


@pytest.mark.parametrize(
    "events",
    [
        (event("a"), event("b"), b"[DONE]"),
        (event("a"), event("b"), STOP),
        (event("a"), event("b"), STOP, b'{"usage": {"prompt_tokens": %s}}' % (b"1" * 5000), b"[DONE]"),
        (event("a"), event("b"), STOP, b'{"error": {"message": "too late"}}'),
        (event("a"), b"null", b"7", b"[]", b"{}", b'{"choices": null}', b'{"choices": [7]}', event("b"), STOP),
        (event("a"), b'{"choices": [{"delta": 7}], "usage": NaN}', event("b"), STOP),
    ],
    ids=["last event", "finish reason", "endless number", "late error", "odd events", "odd fields"],
)
@pytest.mark.parametrize("end", [b"\n\n", b""])
def test_a_whole_text_is_a_reply_whatever_stands_between_and_after(events, end):
    assert streamed(*events, end=end).text == "ab"


def test_a_content_in_a_list_of_parts_is_a_text():
    part = json.dumps({"choices": [{"delta": {"content": [{"type": "text", "text": "ab"}, {"type": "image"}, 7]}}]})
    assert streamed(part.encode(), STOP).text == "ab"

    def as_parts(completion):
        message = completion["choices"][0]["message"]
        message["content"] = [{"type": "text", "text": message["content"]}]

    with OpenAIServer([{"kind": "ok", "text": TEXT}], adjust=as_parts) as server:
        chat = OpenAIChat(LlmSettings(provider="openai", base_url=server.base_url), FakeTime().environment())
        assert chat.complete(chat_request(json_object=False)).text == TEXT


def test_bytes_beyond_utf_8_and_lone_surrogates_are_replaced():
    assert streamed(event("a X b").replace(b"X", b"\xff\xfe"), event("\ud800"), STOP).text == "a �� b�"


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (b'{"choices": [{"de', "a part of the server's reply is not JSON"),
        (b"[" * 100_000, "a part of the server's reply is not JSON"),
        (b'{"error": {"message": "out of memory"}}', "out of memory"),
        (b'{"error": {"message": {}}}', "the server reports an error"),
        (b'{"error": "no"}', "the server reports an error"),
    ],
    ids=["cut JSON", "deep JSON", "error", "error without a message", "error that is no object"],
)
def test_an_event_that_is_a_fault_cuts_the_reply_and_before_the_text_fails_the_attempt(fault, why):
    parts = []
    with pytest.raises(CallError, match=f"cut after 1 characters \\({why}\\)") as caught:
        streamed(event("a"), fault, event("b"), parts=parts)
    assert (caught.value.received, parts) == ("a", ["a"])
    with pytest.raises(CallError, match=f"gave no reply: {why}$"):
        streamed(fault, parts=parts)


def test_a_text_that_quotes_the_last_event_is_cut_where_the_connection_ends():
    with pytest.raises(CallError, match="the connection ended"):
        streamed(event("\ndata: [DONE]\n"))


@pytest.mark.parametrize(
    ("script", "limits", "why"),
    [
        (sends(HEAD, *[b": more\n" * 100_000] * 10), {"max_reply_mb": 2}, "is larger than 2 MB; raise max_reply_mb"),
        (drips(HEAD, b": more\n" * 1000), {"timeout_s": 0.5}, "the server did not finish its reply in time"),
    ],
    ids=["size", "time"],
)
def test_a_reply_in_parts_is_limited(script, limits, why):
    with RawServer(script) as server:
        settings = LlmSettings(provider="openai", base_url=server.url, call_retries=0, **limits)
        chat = OpenAIChat(settings, FakeTime().environment())
        with pytest.raises(CallError, match=why):
            chat.complete(chat_request(on_text=[].append))


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
