import json

import pytest

from kohaku_lib.llm.providers.read_reply import read_reply

CHOICES = [{"message": {"content": "Yes."}, "finish_reason": "stop"}]


@pytest.mark.parametrize(
    "usage",
    ["null", "[7]", '"7"', '{"prompt_tokens": NaN, "prompt_tokens_details": [1]}', '{"completion_tokens": Infinity}'],
)
def test_a_usage_that_is_none_costs_no_reply(usage):
    reply = read_reply({"choices": CHOICES, "usage": json.loads(usage)}, "m", {}, 0.5, 1)
    assert (reply.text, reply.finish_reason) == ("Yes.", "stop")
    assert (reply.input_tokens, reply.cached_tokens, reply.output_tokens, reply.cost_usd) == (None, None, None, None)


def test_tokens_are_read_with_what_was_cached():
    usage = {"prompt_tokens": 9, "completion_tokens": 2.0, "prompt_tokens_details": {"cached_tokens": 4}}
    reply = read_reply({"choices": CHOICES, "usage": usage}, "m", {}, None, 3)
    assert (reply.input_tokens, reply.cached_tokens, reply.output_tokens) == (9, 4, 2)
    assert (reply.latency_s, reply.attempts) == (None, 3)


def first_token(logprobs):
    choice = CHOICES[0] | {"logprobs": logprobs}
    return read_reply({"choices": [choice]}, "m", {}, None, 1).first_token


def test_the_candidates_of_the_first_token_are_read_with_their_log_probabilities():
    top = [{"token": "Yes", "logprob": -0.1}, {"token": "No", "logprob": -2.5}]
    content = [{"token": "Yes", "logprob": -0.1, "top_logprobs": top}, {"token": ".", "logprob": 0}]
    assert first_token({"content": content}) == {"Yes": -0.1, "No": -2.5}
    assert first_token({"content": [{"token": "Yes", "logprob": -1, "top_logprobs": None}]}) == {"Yes": -1.0}


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        [],
        {"content": None},
        {"content": []},
        {"content": ["Yes"]},
        {"content": [{"token": "Yes"}]},
        {"content": [{"token": "Yes", "logprob": "low"}]},
        {"content": [{"token": "Yes", "logprob": float("nan")}]},
        {"content": [{"token": "Yes", "logprob": float("-inf")}]},
    ],
)
def test_log_probabilities_in_another_form_are_not_reported(logprobs):
    assert first_token(logprobs) is None
