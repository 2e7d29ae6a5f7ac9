import pytest
from answering_material import chat_request
from fake_time import FakeTime

from kohaku_lib.errors import ModelError
from kohaku_lib.llm import CallLedger, ServerDownError, build_chat, plain_chat
from kohaku_lib.settings import LlmSettings
from kohaku_lib.testing.openai_server import OpenAIServer


def test_without_a_provider_there_is_no_chat_model():
    assert build_chat(LlmSettings()) is None


def test_a_chat_model_is_ledgered_where_there_is_a_ledger(tmp_path):
    settings = LlmSettings(provider="openai", base_url="http://127.0.0.1:1/v1")
    environment = FakeTime().environment()
    for ledger in (None, CallLedger(tmp_path)):
        chat = build_chat(settings, ledger, environment)
        assert chat is not None
        with pytest.raises(ServerDownError):
            chat.complete(chat_request())
        assert chat.provider == "openai"
    assert len(list(tmp_path.glob("*.jsonl"))) == 1


def test_a_missing_key_shows_when_the_model_is_built():
    with pytest.raises(ModelError, match="OPENROUTER_API_KEY"):
        build_chat(LlmSettings(provider="openrouter"), None, FakeTime().environment({}))


def test_a_plain_function_asks_cold_and_for_its_own_model():
    with OpenAIServer([{"kind": "ok", "text": "one"}, {"kind": "ok", "text": "two"}]) as server:
        settings = LlmSettings(provider="openai", base_url=server.base_url, model="big")
        chat = build_chat(settings, None, FakeTime().environment())
        assert chat is not None
        assert plain_chat(chat, settings, "query_plans")("be brief", "plan this", "q1") == "one"
        assert plain_chat(chat, settings, "query_plans", model="small", seed=3)("be brief", "plan", "q1") == "two"
        first, second = server.requests
    assert [message["content"] for message in first["messages"]] == ["be brief", "plan this"]
    assert (first["model"], first["temperature"], first["seed"]) == ("big", 0.0, 0)
    assert (second["model"], second["seed"]) == ("small", 3)
