import pytest
from answering_material import chat_request

from kohaku_lib.llm import CallError, CallLedger, ChatReply, DryChat, build_chat, estimate_calls
from kohaku_lib.llm.estimates import CallEstimate, estimated_request_tokens
from kohaku_lib.settings import LlmSettings, Price

PRICES = {"test-model": Price(input_usd_per_million=2.0, output_usd_per_million=10.0)}


def dry(folder):
    chat = build_chat(LlmSettings(provider="openai", base_url="http://127.0.0.1:1/v1"), CallLedger(folder))
    assert chat is not None
    return DryChat(chat)


def test_calls_are_noted_and_not_made_and_known_ones_given(tmp_path):
    CallLedger(tmp_path).record("openai", chat_request("known"), ChatReply("text", 10, 0, 7, None, 1.0, 1, "stop"))
    chat = dry(tmp_path)
    assert chat.complete(chat_request("known")).text == "text"
    for number in (1, 2):
        with pytest.raises(CallError, match="only counts"):
            chat.complete(chat_request(seed=number))
    assert ([request.seed for request in chat.requests], chat.replayed, chat.provider) == ([1, 2], 1, "openai")


def test_estimates_add_up_by_stage_and_model_and_know_their_price(tmp_path):
    requests = [
        chat_request(system="s" * 400, user="u" * 3600, max_tokens=100),
        chat_request(system="s" * 400, user="u" * 7600, max_tokens=100),
        chat_request(system="", user="u" * 40, model="other", stage="query_plans"),
    ]
    first, second = estimate_calls(requests, PRICES, tmp_path / "absent")
    cost = (3020 * 2.0 + 200 * 10.0) / 1e6
    assert first == CallEstimate("predictions", "test-model", 2, 3020, 200, pytest.approx(cost))
    assert second == CallEstimate("query_plans", "other", 1, 20, 100, None)


def test_the_length_of_replies_is_that_of_earlier_ones_to_the_stage(tmp_path):
    ledger = CallLedger(tmp_path)
    for number, tokens in enumerate((10, 30)):
        ledger.record("openai", chat_request(seed=number), ChatReply("t", 1, 0, tokens, None, 1.0, 1, "stop"))
    ledger.record("openai", chat_request(seed=9), CallError("down"))
    (estimate,) = estimate_calls([chat_request(seed=50), chat_request(seed=51)], PRICES, tmp_path)
    assert estimate.output_tokens == 40
    (other,) = estimate_calls([chat_request(stage="query_plans")], PRICES, tmp_path)
    assert other.output_tokens == 100


def test_images_count_as_a_thousand_tokens():
    from kohaku_lib.llm import ImagePart

    plain = estimated_request_tokens(chat_request())
    assert estimated_request_tokens(chat_request(images=(ImagePart("image/png", b"x"),) * 2)) == plain + 2000


def test_nothing_to_ask_needs_nothing(tmp_path):
    assert estimate_calls([], PRICES, tmp_path) == []
