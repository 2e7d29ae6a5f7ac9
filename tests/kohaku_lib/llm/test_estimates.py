"""Estimates of tokens before a call, and of what a server dropped after it."""

import pytest
from answering_material import chat_request
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.llm import CallLedger, ChatReply, ImagePart, estimate_calls
from kohaku_lib.llm.estimates import estimated_request_tokens, tokens_left_unread
from kohaku_lib.settings import Price

IMAGE = ImagePart("image/png", b"one")
PRICES = {"test-model": Price(input_usd_per_million=10.0, output_usd_per_million=100.0)}


def reply(output_tokens):
    return ChatReply("Yes.", 10, None, output_tokens, None, 0.1, 1, "stop")


@given(st.text(max_size=200), st.text(max_size=200), st.integers(0, 3))
def test_tokens_are_a_quarter_of_the_characters_plus_a_thousand_per_image(system, user, images):
    request = chat_request(system=system, user=user, images=(IMAGE,) * images)
    assert estimated_request_tokens(request) == max(1, (len(system) + len(user)) // 4) + 10 + 1000 * images


def test_calls_are_estimated_by_stage_and_model_in_order_with_the_limit_as_output(tmp_path):
    requests = [
        chat_request(user="a" * 381, stage=stage) for stage in ("b", "a", "b")
    ]  # 381 + 19 of the system: 110 tokens
    first, second = estimate_calls(requests, PRICES, tmp_path)
    assert (first.stage, first.calls, first.input_tokens, first.output_tokens) == ("b", 2, 220, 200)
    assert first.cost_usd == pytest.approx(220 * 10e-6 + 200 * 100e-6)
    assert (second.stage, second.calls) == ("a", 1)


def test_earlier_replies_of_the_stage_give_the_output_and_failed_calls_do_not_count(tmp_path):
    ledger = CallLedger(tmp_path)
    for seed, outcome in enumerate((reply(20), reply(40), ValueError("down"))):
        ledger.record("openai", chat_request(seed=seed), outcome)
    ledger.close()
    [same] = estimate_calls([chat_request(), chat_request()], PRICES, tmp_path)
    [other] = estimate_calls([chat_request(stage="query_plans")], PRICES, tmp_path)
    assert (same.output_tokens, other.output_tokens) == (60, 100)


def test_a_model_without_a_price_has_no_cost(tmp_path):
    [estimate] = estimate_calls([chat_request(model="other")], PRICES, tmp_path)
    assert estimate.cost_usd is None


@pytest.mark.parametrize(
    ("chars", "read", "unread"),
    [
        (5956, 0, None),
        (5961, 599, 901),
        (5961, 600, None),
        (39_960, 2000, 8000),
        (39_960, 4000, None),
        (39_960, None, None),
    ],
)
def test_a_prompt_of_which_less_than_two_fifths_was_read_was_cut(chars, read, unread):
    request = chat_request(system="", user="a" * chars)  # chars / 4 + 10 tokens; below 1,500 nothing is said
    assert tokens_left_unread(request, read) == unread


def test_images_are_no_evidence_of_a_cut_prompt():
    assert tokens_left_unread(chat_request(system="", user="a" * 400, images=(IMAGE,) * 9), 100) is None
