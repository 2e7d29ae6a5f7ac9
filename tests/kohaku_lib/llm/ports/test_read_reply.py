import json

import pytest

from kohaku_lib.llm.ports.read_reply import read_reply

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
