import gc
import json
import threading

import pytest
from answering_material import chat_request
from fake_time import FakeTime, patient
from hang_limit import HANG_S

from kohaku_lib.errors import ModelError
from kohaku_lib.llm import CallError, ContextOverflowError, Environment, OpenAIChat, ProviderUnavailableError
from kohaku_lib.settings import LlmSettings
from kohaku_lib.testing.openai_server import OpenAIServer


def chat_at(base_url, fake_time=None, environment=None, **settings):
    environment = (fake_time or FakeTime()).environment(environment)
    return OpenAIChat(LlmSettings(provider="openai", base_url=base_url, **settings), environment)


def waits_after(faults, random=0.5, **settings):
    """Return the waits that a call made while it met `faults`, and its reply."""
    fake_time = FakeTime(random)
    with OpenAIServer(faults) as server:
        reply = chat_at(server.base_url, fake_time, **settings).complete(chat_request())
    assert reply.attempts == len(faults) + 1
    return fake_time.slept


def test_a_reply_carries_its_text_tokens_and_price():
    prices = {"test-model": {"input_usd_per_million": 1000.0, "output_usd_per_million": 2000.0}}
    with OpenAIServer([{"kind": "ok", "text": "one two three"}]) as server:
        reply = chat_at(server.base_url, prices=prices).complete(chat_request())
    assert (reply.text, reply.input_tokens, reply.cached_tokens, reply.output_tokens) == ("one two three", 5, 0, 3)
    assert reply.cost_usd == pytest.approx(5 * 0.001 + 3 * 0.002)
    assert (reply.attempts, reply.finish_reason, reply.replayed) == (1, "stop", False)


def test_the_request_carries_model_messages_and_parameters():
    with OpenAIServer() as server:
        chat_at(server.base_url).complete(chat_request(seed=7))
        (sent,) = server.requests
    assert sent["model"] == "test-model"
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert (sent["temperature"], sent["max_tokens"], sent["seed"]) == (0.2, 100, 7)
    assert sent["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_without_a_hint_the_wait_doubles_from_the_base(status):
    assert waits_after([{"kind": "status", "status": status}] * 3) == [3.0, 6.0, 12.0]


@pytest.mark.parametrize(("random", "factor"), [(0.0, 0.75), (0.5, 1.0), (0.999, 1.2495)])
def test_jitter_keeps_within_a_quarter(random, factor):
    assert waits_after([{"kind": "status", "status": 503}], random) == [pytest.approx(3.0 * factor)]


@pytest.mark.parametrize(
    ("fault", "wait_s"),
    [
        ({"headers": {"Retry-After": "4"}}, 5.0),
        ({"headers": {"retry-after-ms": "250"}}, 1.25),
        ({"message": "Rate limit reached, please try again in 200ms."}, 1.2),
        ({"message": "Please try again in 1m10s"}, 71.0),
        ({"headers": {"Retry-After": "Tue, 14 Nov 2023 22:13:50 GMT"}}, 31.0),
    ],
)
def test_the_servers_hint_plus_a_second_goes_before_the_doubling(fault, wait_s):
    assert waits_after([{"kind": "status", "status": 429, **fault}]) == [pytest.approx(wait_s)]


@pytest.mark.parametrize("kind", ["drop", "no_choices", "empty_text", "malformed", "page"])
def test_broken_and_empty_replies_are_retried(kind):
    assert waits_after([{"kind": kind}]) == [3.0]


def test_an_error_under_status_200_counts_by_its_code():
    assert waits_after([{"kind": "reported", "code": 502}]) == [3.0]
    with OpenAIServer([{"kind": "reported", "code": 400, "message": "bad"}]) as server, pytest.raises(CallError):
        chat_at(server.base_url).complete(chat_request())


def test_a_wrong_content_type_with_a_good_body_is_read():
    with OpenAIServer([{"kind": "wrong_type"}]) as server:
        assert '"42"' in chat_at(server.base_url).complete(chat_request()).text


@pytest.mark.parametrize("kind", ["held", "drip"])
def test_the_time_limit_holds_for_each_attempt_also_where_bytes_keep_coming(kind):
    now = [0.0]

    def sleep(seconds):
        now.append(seconds)
        patient(chat)

    environment = Environment(sleep=sleep, clock=lambda: now[-1], random=lambda: 0.5, variables={})
    with OpenAIServer([{"kind": kind, "seconds": 600.0}]) as server:
        chat = OpenAIChat(LlmSettings(provider="openai", base_url=server.base_url, timeout_s=1.0), environment)
        reply = chat.complete(chat_request())
    assert (reply.attempts, now) == (2, [0.0, 3.0])
    assert reply.latency_s == 0.0  # that of the second attempt alone


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 400, "code": "context_length_exceeded"},
        {"status": 400, "message": "This model's maximum context length is 4096 tokens"},
        {"status": 413},
    ],
)
def test_an_overflow_is_raised_as_such_after_one_attempt(fault):
    fake_time = FakeTime()
    with OpenAIServer([{"kind": "status", **fault}]) as server:
        with pytest.raises(ContextOverflowError) as caught:
            chat_at(server.base_url, fake_time).complete(chat_request())
        assert len(server.requests) == 1
    assert (caught.value.attempts, fake_time.slept) == (1, [])


@pytest.mark.parametrize(("status", "error"), [(400, CallError), (422, CallError), (401, ProviderUnavailableError)])
def test_other_refusals_are_raised_after_one_attempt(status, error):
    with OpenAIServer([{"kind": "status", "status": status, "message": "500 server provider"}]) as server:
        with pytest.raises(error, match=f"status {status}"):
            chat_at(server.base_url).complete(chat_request())
        assert len(server.requests) == 1


def test_retries_end_with_a_sentence_that_counts_them():
    fake_time = FakeTime()
    with (
        OpenAIServer([{"kind": "status", "status": 503, "message": "overloaded"}] * 3) as server,
        pytest.raises(ProviderUnavailableError, match=r"no reply after 3 attempts: status 503, overloaded$") as caught,
    ):
        chat_at(server.base_url, fake_time, call_retries=2).complete(chat_request())
    assert (caught.value.attempts, fake_time.slept) == (3, [3.0, 6.0])


def test_a_server_that_nobody_has_reached_is_unavailable_at_once():
    with OpenAIServer() as server:
        pass
    fake_time = FakeTime()
    with pytest.raises(ProviderUnavailableError, match=r"gave no reply: the connection failed: .*Connection refused$"):
        chat_at(server.base_url, fake_time, call_retries=2).complete(chat_request())
    assert fake_time.slept == []


def test_a_server_that_starts_after_a_refused_connection_answers_the_next_client():
    with OpenAIServer() as server:
        port = server.http.server_address[1]
    with pytest.raises(ProviderUnavailableError, match="Connection refused"):
        chat_at(server.base_url, FakeTime()).complete(chat_request())
    with OpenAIServer(port=port) as server:
        assert chat_at(server.base_url, FakeTime()).complete(chat_request()).text


def test_a_server_that_went_away_is_unavailable_after_the_retries():
    fake_time = FakeTime()
    with OpenAIServer() as server:
        chat = chat_at(server.base_url, fake_time, call_retries=2)
        chat.complete(chat_request())
    chat._access._http._transport.close()  # what the server would do with connections that are open
    with pytest.raises(ProviderUnavailableError, match="after 3 attempts: the connection failed"):
        chat.complete(chat_request())
    assert fake_time.slept == [3.0, 6.0]


def test_a_refused_parameter_is_left_out_at_once_and_from_then_on():
    fault = {"kind": "status", "status": 400, "message": "response_format is not supported by this model"}
    fake_time = FakeTime()
    with OpenAIServer([fault]) as server:
        chat = chat_at(server.base_url, fake_time)
        assert chat.complete(chat_request()).attempts == 1
        chat.complete(chat_request())
        assert ["response_format" in sent for sent in server.requests] == [True, False, False]
    assert fake_time.slept == []


def test_a_model_that_wants_max_completion_tokens_gets_it():
    fault = {"kind": "status", "status": 400, "param": "max_tokens", "message": "Use 'max_completion_tokens'"}
    with OpenAIServer([fault]) as server:
        chat_at(server.base_url).complete(chat_request())
        sent = server.requests[-1]
    assert "max_tokens" not in sent
    assert sent["max_completion_tokens"] == 100


def test_no_more_calls_are_in_flight_than_allowed():
    with OpenAIServer(delay_s=0.05, together=2) as server:
        chat = chat_at(server.base_url, max_concurrent=2)
        threads = [threading.Thread(target=chat.complete, args=(chat_request(f"q{i}"),)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.billed) == 6
        assert server.most_in_flight == 2


def test_a_waiting_call_leaves_its_place_to_others_and_does_not_count_the_queue():
    resting, go_on, now = threading.Event(), threading.Event(), [0.0]

    def sleep(_seconds):
        resting.set()
        assert go_on.wait(HANG_S)

    with OpenAIServer([{"kind": "status", "status": 429}]) as server:
        settings = LlmSettings(provider="openai", base_url=server.base_url, max_concurrent=1)
        chat = OpenAIChat(settings, Environment(clock=lambda: now[-1], sleep=sleep, variables={}))
        replies = []
        first = threading.Thread(target=lambda: replies.append(chat.complete(chat_request("first"))))
        first.start()
        assert resting.wait(HANG_S)
        now.append(9.0)
        assert chat.complete(chat_request("second")).attempts == 1
        go_on.set()
        first.join()
    assert replies[0].attempts == 2
    assert replies[0].latency_s == 0.0


@pytest.mark.parametrize(
    ("provider", "address"), [("openai", "https://api.openai.com/v1/"), ("openrouter", "https://openrouter.ai/api/v1/")]
)
def test_a_provider_is_called_at_its_own_address_with_its_own_key(provider, address):
    keys = {"OPENAI_API_KEY": "key of openai", "OPENROUTER_API_KEY": "key of openrouter"}
    client = OpenAIChat(LlmSettings(provider=provider), FakeTime().environment(keys))._access.client
    assert (str(client.base_url), client.api_key) == (address, f"key of {provider}")


def test_the_key_comes_from_the_named_variable_else_the_providers_own():
    with OpenAIServer() as server:
        own = {"OPENAI_API_KEY": "own-key", "MY_KEY": " named-key\n"}
        chat_at(server.base_url, environment=own).complete(chat_request())
        chat_at(server.base_url, environment=own, api_key_env="MY_KEY").complete(chat_request())
        sent = [headers["authorization"] for headers in server.headers]
    assert sent == ["Bearer own-key", "Bearer named-key"]


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
        ("bedrock", "AWS_BEARER_TOKEN_BEDROCK"),
    ],
)
def test_a_missing_key_is_one_sentence_that_names_the_variable(provider, variable):
    with pytest.raises(ModelError, match=f"environment variable {variable}, which is not set"):
        OpenAIChat(LlmSettings(provider=provider), FakeTime().environment({"UNRELATED": "x"}))


def test_a_named_variable_must_exist_even_for_a_server_of_ones_own():
    with pytest.raises(ModelError, match="MY_KEY"):
        chat_at("http://127.0.0.1:1/v1", api_key_env="MY_KEY")


def test_errors_never_show_the_key_nor_the_addresss_password():
    fault = {"kind": "status", "status": 401, "message": "Incorrect API key provided: very-secret-key"}
    with OpenAIServer([fault]) as server:
        base_url = server.base_url.replace("http://", "http://user:password@")
        with pytest.raises(ProviderUnavailableError) as caught:
            chat_at(base_url, environment={"OPENAI_API_KEY": "very-secret-key"}).complete(chat_request())
    assert "very-secret-key" not in str(caught.value)
    assert "password" not in str(caught.value)
    assert "[key]" in str(caught.value)


def test_a_model_that_nobody_needs_any_more_closes_its_connections():
    with OpenAIServer() as server:
        chat = chat_at(server.base_url)
        chat.complete(chat_request())
        client = chat._access._http
        assert not client.is_closed
        del chat
        gc.collect()
        assert client.is_closed


def test_a_provider_without_a_server_is_refused():
    with pytest.raises(ModelError, match="'local' is not a chat provider"):
        OpenAIChat(LlmSettings(provider="local"))


def test_the_loopback_server_answers_from_the_first_snippet_that_holds_a_number():
    with OpenAIServer() as server:
        request = chat_request(user="[ref_id=a] none here [ref_id=b] it is 4.3 t, GPT-3 [ref_id=c] 9")
        answer = json.loads(chat_at(server.base_url).complete(request).text)
    assert (answer["answer_value"], answer["ref_id"]) == ("4.3", ["b"])
