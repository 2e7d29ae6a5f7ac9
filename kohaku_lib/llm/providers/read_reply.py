"""Parsing of chat completions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from kohaku_lib.llm.chat import ChatReply
from kohaku_lib.llm.prices import call_cost_usd
from kohaku_lib.llm.tool_calls import message_text
from kohaku_lib.settings import Price
from kohaku_lib.text.untrusted_json import as_object, token_count


def read_reply(
    body: Mapping[str, Any], model: str, prices: Mapping[str, Price], latency_s: float | None, attempts: int
) -> ChatReply:
    """Parse the JSON body of a completion that passed `check_text`; missing fields become None.

    >>> body = {"choices": [{"message": {"content": "Yes."}}], "usage": {"prompt_tokens": 7}}
    >>> read_reply(body, "m", {}, 0.5, 1).input_tokens
    7
    """
    usage = as_object(body.get("usage"))
    input_tokens, output_tokens = token_count(usage.get("prompt_tokens")), token_count(usage.get("completion_tokens"))
    cached_tokens = token_count(as_object(usage.get("prompt_tokens_details")).get("cached_tokens"))
    choice = body["choices"][0]
    return ChatReply(
        text=message_text(choice["message"]) or "",
        input_tokens=input_tokens,
        cached_tokens=cached_tokens,
        output_tokens=output_tokens,
        cost_usd=call_cost_usd(model, input_tokens, output_tokens, prices, cached_tokens),
        latency_s=latency_s,
        attempts=attempts,
        finish_reason=reason if isinstance(reason := choice.get("finish_reason"), str) else None,
        first_token=_first_token(choice),
    )


def _first_token(choice: Mapping[str, Any]) -> dict[str, float] | None:
    """Return the candidates of the first token with log probabilities, None if not reported."""
    try:
        first = choice["logprobs"]["content"][0]
        candidates = [first, *(first.get("top_logprobs") or ())]
        logprob_by_token = {str(candidate["token"]): float(candidate["logprob"]) for candidate in candidates}
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
        return None
    return logprob_by_token if all(map(math.isfinite, logprob_by_token.values())) else None
