import pytest
from answering_material import chat_request
from fake_time import FakeTime

from kohaku_lib.llm import CallError, CallLedger, ContextOverflowError, ProviderUnavailableError, ServerDownError
from kohaku_lib.llm import build_chat as build
from kohaku_lib.settings import FallbackSettings, LlmSettings
from kohaku_lib.testing.openai_server import OpenAIServer

DOWN = {"kind": "status", "status": 503, "message": "overloaded"}


def built(server, spare=None, ledger=None, fake=None, **llm):
    fallback = FallbackSettings(provider="openrouter", base_url=spare.base_url, model="spare") if spare else None
    settings = LlmSettings(
        provider="openai",
        model="test-model",
        base_url=server.base_url,
        call_retries=0,
        fallback=fallback or FallbackSettings(),
        **llm,
    )
    chat = build(settings, ledger, (fake or FakeTime()).environment())
    assert chat is not None
    return chat


def ask(chat, number):
    return chat.complete(chat_request(f"q{number}", user=f"{number} kg"))


def test_a_call_that_finds_the_server_down_is_answered_by_the_fallback_which_says_so():
    with OpenAIServer([DOWN]) as server, OpenAIServer() as spare:
        chat = built(server, spare)
        first, second = ask(chat, 1), ask(chat, 2)
        assert [request["model"] for request in spare.requests] == ["spare"]
    assert (first.fallback, second.fallback) == ("openrouter:spare", None)


def test_after_five_such_calls_the_first_server_is_left_alone_and_then_tried_again():
    fake = FakeTime()
    with OpenAIServer([DOWN] * 5) as server, OpenAIServer() as spare:
        chat = built(server, spare, fake=fake)
        for number in range(8):
            assert ask(chat, number).fallback == "openrouter:spare"
        assert (len(server.requests), len(spare.requests)) == (5, 8)
        fake.sleep(60.0)
        assert [ask(chat, number).fallback for number in (8, 9, 10)] == [None] * 3
        assert (len(server.requests), len(spare.requests)) == (8, 8)


def test_without_a_fallback_calls_fail_at_once_while_the_server_is_down():
    with OpenAIServer([DOWN] * 9) as server:
        chat = built(server)
        for number in range(7):
            with pytest.raises(ServerDownError) as caught:
                ask(chat, number)
        assert len(server.requests) == 5
    assert "tried again in 60 s" in str(caught.value)
    assert caught.value.attempts == 0


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (400, "context_length_exceeded", ContextOverflowError),
        (422, None, CallError),
        (401, None, ProviderUnavailableError),
    ],
)
def test_what_the_server_refuses_neither_counts_nor_goes_to_the_fallback(status, code, error):
    refusal = {"kind": "status", "status": status, "code": code, "message": "no"}
    with OpenAIServer([refusal] * 12) as server, OpenAIServer() as spare:
        chat = built(server, spare)
        for number in range(6):
            with pytest.raises(error):
                ask(chat, number)
        assert (len(server.requests), len(spare.requests)) == (6, 0)


def test_an_exhausted_quota_goes_to_the_fallback_without_waiting():
    fake = FakeTime()
    quota = {"kind": "status", "status": 429, "code": "insufficient_quota", "message": "quota exceeded"}
    with OpenAIServer([quota]) as server, OpenAIServer() as spare:
        assert ask(built(server, spare, fake=fake), 1).fallback == "openrouter:spare"
    assert fake.slept == []


def test_a_fallback_that_is_down_too_tells_its_own_error():
    with OpenAIServer([DOWN]) as server, OpenAIServer([DOWN]) as spare, pytest.raises(ServerDownError, match="'spare'"):
        ask(built(server, spare), 1)


def test_replies_of_both_are_replayed_and_nothing_is_paid_twice(tmp_path):
    with OpenAIServer([DOWN]) as server, OpenAIServer() as spare:
        chat = built(server, spare, CallLedger(tmp_path))
        paid = [ask(chat, number) for number in (1, 2)]
        again = built(server, spare, CallLedger(tmp_path))
        replayed = [ask(again, number) for number in (1, 2)]
        assert (server.stats()["billed"], spare.stats()["billed"]) == (1, 1)
    assert [reply.text for reply in replayed] == [reply.text for reply in paid]
    assert [reply.fallback for reply in replayed] == ["openrouter:spare", None]
    assert all(reply.replayed for reply in replayed)


def test_known_replies_come_while_the_server_is_down(tmp_path):
    with OpenAIServer() as server:
        ask(built(server, None, CallLedger(tmp_path)), 0)
        server.faults += [DOWN] * 5
        chat = built(server, None, CallLedger(tmp_path))
        for number in range(1, 7):
            with pytest.raises(ServerDownError):
                ask(chat, number)
        kept = []
        assert chat.complete(chat_request("q0", user="0 kg"), kept.append).replayed
    assert len(kept) == 1


def test_blank_replies_tell_nothing_of_the_server_which_is_asked_again_at_once():
    replies = [" "] * 7
    with OpenAIServer(reply=lambda request: replies.pop() if replies else "4 kg") as server:
        chat = built(server)
        for number in range(7):
            with pytest.raises(CallError, match="reply is empty") as caught:
                ask(chat, number)
            assert not isinstance(caught.value, ProviderUnavailableError)
        assert ask(chat, 7).text == "4 kg"
        assert len(server.requests) == 8


def test_a_blank_reply_is_answered_by_the_fallback():
    with OpenAIServer(reply=lambda request: " ") as server, OpenAIServer() as spare:
        assert ask(built(server, spare), 1).fallback == "openrouter:spare"
