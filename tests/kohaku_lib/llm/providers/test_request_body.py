import pytest
from answering_material import chat_request
from fake_time import FakeTime

from kohaku_lib.llm import CallError, OpenAIChat
from kohaku_lib.llm.ledger.calls import call_key
from kohaku_lib.llm.providers.request_body import request_body
from kohaku_lib.settings import LlmSettings
from kohaku_lib.testing.openai_server import OpenAIServer

SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
OTHER = {"type": "object", "properties": {}}


def chat_at(server):
    settings = LlmSettings(provider="openai", base_url=server.base_url, call_retries=0)
    return OpenAIChat(settings, FakeTime().environment())


def formats(server):
    return [request.get("response_format", {}).get("type") for request in server.requests]


def refusal(message, status=400, param=None):
    return {"kind": "status", "status": status, "message": message, "param": param}


def test_a_schema_is_sent_to_a_server_that_takes_it():
    with OpenAIServer() as server:
        chat_at(server).complete(chat_request(json_schema=SCHEMA))
    sent = server.requests[0]["response_format"]
    assert sent["json_schema"] == {"name": "reply", "strict": True, "schema": SCHEMA}
    assert sent["type"] == "json_schema"


@pytest.mark.parametrize(
    "message", ["Invalid parameter: 'response_format' of type 'json_schema'", "unsupported", "guided decoding is off"]
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_refuses_it_is_asked_for_any_object_once_and_from_then_on(message, status):
    with OpenAIServer([refusal(message, status)]) as server:
        chat = chat_at(server)
        for number in range(3):
            assert chat.complete(chat_request(json_schema=SCHEMA, seed=number)).attempts == 1
        assert formats(server) == ["json_schema", "json_object", "json_object", "json_object"]


def test_a_server_without_any_format_is_asked_for_text():
    faults = [refusal("response_format is not supported")] * 2
    with OpenAIServer(faults) as server:
        chat = chat_at(server)
        chat.complete(chat_request(json_schema=SCHEMA))
        chat.complete(chat_request(json_schema=SCHEMA, seed=1))
        assert formats(server) == ["json_schema", "json_object", None, None]


def test_a_refusal_for_another_reason_is_told_and_the_schema_kept():
    with OpenAIServer([refusal("content policy")] * 2) as server:
        chat = chat_at(server)
        with pytest.raises(CallError, match="content policy"):
            chat.complete(chat_request(json_schema=SCHEMA))
        chat.complete(chat_request(json_schema=SCHEMA, seed=1))
        assert formats(server) == ["json_schema", "json_object", "json_schema"]


def test_a_server_that_took_a_schema_is_not_asked_twice_over_a_refusal():
    with OpenAIServer([{"kind": "ok"}, refusal("content policy")]) as server:
        chat = chat_at(server)
        chat.complete(chat_request(json_schema=SCHEMA))
        with pytest.raises(CallError, match="content policy"):
            chat.complete(chat_request(json_schema=SCHEMA, seed=1))
        assert len(server.requests) == 2


def test_another_parameter_that_is_refused_by_name_goes_alone():
    with OpenAIServer([refusal("no such parameter", param="seed")]) as server:
        chat_at(server).complete(chat_request(json_schema=SCHEMA))
        assert formats(server) == ["json_schema", "json_schema"]
        assert "seed" not in server.requests[1]


def test_the_schema_tells_calls_apart_and_calls_without_one_keep_their_key():
    plain, one, other = (call_key("openai", chat_request(json_schema=schema)) for schema in (None, SCHEMA, OTHER))
    assert len({plain, one, other}) == 3
    assert plain == call_key("openai", chat_request())
    assert one == call_key("openai", chat_request(json_schema=dict(reversed(list(SCHEMA.items())))))


def test_a_model_that_does_not_think_is_asked_without_effort():
    refusal = {"kind": "status", "status": 400, "message": '"qwen" does not support thinking'}
    with OpenAIServer([refusal]) as server:
        settings = LlmSettings(provider="openai", base_url=server.base_url, model="qwen")
        request = chat_request(reasoning_effort="high", json_object=False)
        assert OpenAIChat(settings, FakeTime().environment({})).complete(request).text
        efforts = [sent.get("reasoning_effort") for sent in server.requests]
    assert efforts == ["high", None]


def test_what_is_left_out_does_not_stand_in_the_body():
    body = request_body(chat_request(top_logprobs=3), {"max_tokens", "response_format", "logprobs"})
    assert body["max_completion_tokens"] == 100
    assert not {"max_tokens", "response_format", "logprobs"} & body.keys()
    assert body["top_logprobs"] == 3
    assert "response_format" not in request_body(chat_request(json_object=False))


@pytest.mark.parametrize(("name", "value"), [("top_p", 0.9), ("top_k", 40), ("reasoning_effort", "high")])
def test_what_bounds_sampling_and_thinking_is_sent_where_it_is_given(name, value):
    assert request_body(chat_request(**{name: value}))[name] == value
    assert name not in request_body(chat_request())
    assert name not in request_body(chat_request(**{name: value}), left_out=(name,))
