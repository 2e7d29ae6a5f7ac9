"""A server that drips, floods, redirects, echoes keys or tells nonsense costs a call, and no more than that."""

import gzip
import json
import logging
import time
import traceback

import pytest
from answering_material import chat_request
from hang_limit import ended
from raw_server import RawServer, drips, response, sends

from kohaku_lib.llm import CallError, CallLedger, Environment, LedgeredChat, OpenAIChat, ServerDownError, StoppedError
from kohaku_lib.llm.chat import NoMoreCallsError
from kohaku_lib.parallel.interruption import interruptible_pool
from kohaku_lib.settings import LlmSettings
from kohaku_lib.testing.openai_server import OpenAIServer

KEY = "sk-proj-0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c"


def chat_at(base_url, **settings):
    chosen = LlmSettings(provider="openai", base_url=base_url, **{"call_retries": 0, **settings})
    return OpenAIChat(chosen, Environment(variables={"OPENAI_API_KEY": KEY}, sleep=lambda seconds: None))


def failure_at(base_url, **settings):
    with pytest.raises(CallError) as caught:
        chat_at(base_url, **settings).complete(chat_request())
    return caught.value


def completion(text="Yes.", **more):
    return json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], **more}).encode()


@pytest.mark.parametrize(
    "script",
    [
        drips(b"HTTP/1.1 200 OK\r\nX-Drip: ", b"a" * 2000),
        drips(b"HTTP/1.1 401 No\r\nX-Drip: ", b"a" * 2000),
        drips(b"HTTP/1.1 401 No\r\nContent-Length: 2000\r\n\r\n", b" " * 2000),
        drips(b"HTTP/1.1 429 Slow\r\nContent-Length: 2000\r\n\r\n", b" " * 2000),
    ],
    ids=["headers", "headers of an error", "body of an error", "body of 429"],
)
def test_the_time_limit_holds_for_headers_and_error_bodies_that_drip(script):
    with RawServer(script) as server:
        error = ended(lambda: failure_at(server.url, timeout_s=0.5))
    assert "did not finish its reply in time" in str(error)


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "500 Oops"])
def test_a_reply_beyond_the_limit_is_refused_while_it_is_read(status):
    twice = gzip.compress(gzip.compress(bytes(10_000_000)))
    flood = sends(f"HTTP/1.1 {status}\r\nConnection: close\r\n\r\n".encode(), *[b" " * 100_000] * 100)
    with RawServer(flood, sends(response(gzip.compress(bytes(10_000_000)), status, Content_Encoding="gzip"))) as server:
        for _ in range(2):
            assert "the body is larger than 2 MB; raise max_reply_mb" in str(failure_at(server.url, max_reply_mb=2))
    with RawServer(sends(response(twice, status, Content_Encoding="gzip, gzip"))) as server:
        assert "only one of gzip and deflate is read" in str(failure_at(server.url))


def test_a_redirect_to_another_server_is_not_followed_and_takes_no_key_along():
    with RawServer(sends(response(completion()))) as other:
        away = sends(response(status="307 Temporary Redirect", Location=f"{other.url}/v1/chat/completions"))
        with RawServer(away) as server:
            assert f"redirects to another one, {other.url}, which is not followed" in str(failure_at(server.url))
            assert KEY.encode() in server.heads[0]
    assert other.heads == []


COUNTS = ["-1", "0.5", '"7"', "null", "true", "[1]", "NaN", "Infinity", "1e999", "1" * 400, "-" + "1" * 400, "1" * 5000]


@pytest.mark.parametrize("count", COUNTS, ids=lambda count: count[:8] + str(len(count)))
def test_a_usage_that_is_no_count_leaves_the_paid_reply_usable(count, tmp_path):
    body = b'{"choices": [{"message": {"content": "Yes."}}], "usage": {"prompt_tokens": %s}}' % count.encode()
    with RawServer(sends(response(body))) as server:
        reply = LedgeredChat(chat_at(server.url), CallLedger(tmp_path)).complete(chat_request())
    assert (reply.text, reply.input_tokens) == ("Yes.", None)
    kept = CallLedger(tmp_path)
    assert (len(kept), kept.unreadable_lines) == (1, 0)


def test_lone_surrogates_and_bytes_beyond_utf_8_are_replaced_where_they_enter(tmp_path):
    body = completion("a\ud800b") + b"\n"
    spoilt = completion("a XX b").replace(b"XX", b"\xff\xfe")
    with RawServer(sends(response(body)), sends(response(spoilt))) as server:
        chat = LedgeredChat(chat_at(server.url), CallLedger(tmp_path))
        assert chat.complete(chat_request()).text == "a�b"
        assert chat.complete(chat_request("q2", user="other")).text == "a �� b"
    assert {CallLedger(tmp_path).reply(key).text for key in CallLedger(tmp_path)._replies} == {"a�b", "a �� b"}


def test_lone_surrogates_in_a_prompt_do_not_keep_it_from_being_sent():
    with OpenAIServer() as server:
        chat_at(server.base_url).complete(chat_request(user="half \ud800 a pair"))
        assert server.requests[0]["messages"][1]["content"] == "half � a pair"


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"a":' * 50_000, b"\xff" * 100, b'{"choices": 7}', b"null", b'{"error": "no"}'],
    ids=["deep list", "deep object", "no text", "wrong type", "null", "error"],
)  # fmt: skip
def test_nonsense_is_a_failed_call(body):
    with RawServer(sends(response(body))) as server:
        assert isinstance(failure_at(server.url), ServerDownError)


@pytest.mark.parametrize("name", ["_fields_set", "_BaseModel__cls", "self", "model_config"])
def test_a_name_that_a_type_of_the_package_takes_for_its_own_leaves_the_reply_usable(name):
    body = json.dumps({"choices": [{"message": {"content": "Yes.", name: 7}}], name: 7}).encode()
    with RawServer(sends(response(body, Content_Type="application/json"))) as server:
        assert chat_at(server.url).complete(chat_request()).text == "Yes."


@pytest.mark.parametrize("cut", [len(KEY), 34, 20, 12])
@pytest.mark.parametrize("status", [401, 400, 500, 200])
def test_a_key_that_a_server_echoes_is_shown_nowhere(status, cut, tmp_path, caplog):
    echoed = json.dumps({"error": {"message": f"Bearer {KEY[:cut]} is wrong", "code": 401, "param": KEY[:cut]}})
    ledger = CallLedger(tmp_path)
    with RawServer(sends(response(echoed.encode(), f"{status} X"))) as server, caplog.at_level(logging.DEBUG):
        chat = LedgeredChat(chat_at(server.url.replace("://", "://me:pass-word@"), call_retries=1), ledger)
        with pytest.raises(CallError) as caught:
            chat.complete(chat_request())
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text
    shown += "".join(path.read_text() for path in tmp_path.glob("*.jsonl"))
    assert KEY[:12] not in shown
    assert "pass-word" not in shown
    assert "[key]" in str(caught.value)


def test_a_key_that_begins_where_a_long_message_is_cut_leaves_no_piece():
    for before in range(460, 500):
        echoed = json.dumps({"error": {"message": "x" * before + KEY}}).encode()
        with RawServer(sends(response(echoed, "400 Bad Request"))) as server:
            assert KEY[:4] not in str(failure_at(server.url))


def test_a_key_in_a_good_reply_is_masked_in_the_answer_and_the_ledger(tmp_path):
    with OpenAIServer([{"kind": "ok", "text": f"your key is {KEY}, or {KEY[:30]}"}]) as server:
        reply = LedgeredChat(chat_at(server.base_url), CallLedger(tmp_path)).complete(chat_request())
    assert reply.text == "your key is [key], or [key]"
    assert KEY[:12] not in "".join(path.read_text() for path in tmp_path.glob("*.jsonl"))


def test_a_user_and_password_in_the_address_are_sent_in_the_place_of_the_key_and_shown_nowhere():
    with RawServer(sends(response(b"{}", "401 No"))) as server:
        error = failure_at(server.url.replace("://", "://me:pass%40word@"))
        assert b"Authorization: Basic bWU6cGFzc0B3b3Jk\r\n" in server.heads[0]  # base64 of me:pass@word
    assert "pass" not in str(error)


def test_each_retry_is_a_line_that_says_why_and_how_long(caplog):
    faults = [{"kind": "status", "status": 503, "message": "overloaded"}] * 2
    with OpenAIServer(faults) as server:
        chat_at(server.base_url, call_retries=2).complete(chat_request())
    told = [record.getMessage() for record in caplog.records if record.name == "kohaku"]
    assert len(told) == 2
    assert told[0].startswith(
        f"the chat model 'test-model' at {server.base_url}: status 503, overloaded; attempt 2 of 3"
    )
    assert told[0].endswith(" s")


def test_what_no_call_can_pass_is_asked_once_and_the_next_calls_fail_without_being_sent():
    busy = {"kind": "status", "status": 429, "message": "daily limit", "headers": {"Retry-After": "86400"}}
    with OpenAIServer([busy]) as server:
        chat = chat_at(server.base_url, call_retries=5)
        for name in ("q1", "q2", "q3"):
            with pytest.raises(NoMoreCallsError, match=r"status 429, daily limit \(the server asks to wait 86400 s\)"):
                chat.complete(chat_request(name, user=name))
        assert len(server.requests) == 1


def test_a_server_that_takes_no_connection_is_given_up_within_seconds():
    import socket

    with socket.create_server(("127.0.0.1", 0), backlog=0) as deaf:
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:  # they fill the queue, so that the next connection is not answered at all
            one.setblocking(False)
            one.connect_ex(deaf.getsockname())
        chat = chat_at(f"http://127.0.0.1:{deaf.getsockname()[1]}/v1", call_retries=5)
        for _ in range(2):
            with pytest.raises(ServerDownError, match="nothing answered the connection in time") as caught:
                ended(lambda: chat.complete(chat_request()))
            assert caught.value.attempts == 1  # of six, each of which would take three seconds
        for one in waiting:
            one.close()


def test_a_name_that_no_host_has_is_said_at_once():
    assert "the host 'no-such-host.invalid' is not known" in str(
        failure_at("http://no-such-host.invalid/v1", call_retries=5)
    )


def test_a_query_of_the_address_goes_with_every_request():
    with RawServer(sends(response(completion()))) as server:
        chat_at(server.url + "/v1?api-version=2").complete(chat_request())
        assert server.heads[0].startswith(b"POST /v1/chat/completions?api-version=2 ")


def test_a_wait_for_the_next_attempt_ends_with_an_interrupt():
    busy = {"kind": "status", "status": 429, "headers": {"Retry-After": "500"}}

    def ask_and_interrupt():
        with interruptible_pool(1) as pool:
            futures.append(pool.submit(chat.complete, chat_request()))
            while not server.requests:
                time.sleep(0.01)
            raise KeyboardInterrupt

    futures = []
    with OpenAIServer([busy]) as server:
        settings = LlmSettings(provider="openai", base_url=server.base_url)
        chat = OpenAIChat(settings, Environment(variables={}))
        with pytest.raises(KeyboardInterrupt):
            ended(ask_and_interrupt)
    assert isinstance(futures[0].exception(), StoppedError)
