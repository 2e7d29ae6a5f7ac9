"""Parsing of chat completions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kohaku_lib.llm.chat import ChatReply
from kohaku_lib.llm.prices import call_cost_usd
from kohaku_lib.llm.tool_calls import message_text
from kohaku_lib.settings import Price
from kohaku_lib.text.untrusted_json import as_object, token_count


class Counted(NamedTuple):
    """The tokens of several replies, and what they cost; None is unknown."""

    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


def read_reply(
    body: Mapping[str, Any],
    model: str,
    prices: Mapping[str, Price],
    latency_s: float | None,
    attempts: int,
    wasted: Sequence[Mapping[str, Any]] = (),
) -> ChatReply:
    """Parse the JSON body of a completion that passed `check_text`; missing fields become None.

    `wasted` is what the server counted for replies before it that could not be used.

    >>> body = {"choices": [{"message": {"content": "Yes."}}], "usage": {"prompt_tokens": 7}}
    >>> read_reply(body, "m", {}, 0.5, 1).input_tokens
    7
    """
    counted = counted_by([*wasted, as_object(body.get("usage"))], model, prices)
    choice = body["choices"][0]
    return ChatReply(
        text=message_text(choice["message"]) or "",
        **counted._asdict(),
        latency_s=latency_s,
        attempts=attempts,
        finish_reason=reason if isinstance(reason := choice.get("finish_reason"), str) else None,
        first_token=_first_token(choice),
    )


def counted_by(usages: Sequence[Mapping[str, Any]], model: str, prices: Mapping[str, Price]) -> Counted:
    """Return the sums of what a server counted for several replies of `model`.

    >>> counted_by([{"prompt_tokens": 7, "completion_tokens": 1}, {"prompt_tokens": 7}, {}], "m", {})
    Counted(input_tokens=14, cached_tokens=None, output_tokens=1, cost_usd=None)
    """
    tokens = [
        (
            token_count(usage.get("prompt_tokens")),
            token_count(as_object(usage.get("prompt_tokens_details")).get("cached_tokens")),
            token_count(usage.get("completion_tokens")),
        )
        for usage in usages
    ]
    given, cached, produced = (_sum_known(column) for column in zip(*tokens, strict=True))
    costs = [call_cost_usd(model, one[0], one[2], prices, one[1]) for one in tokens]
    return Counted(given, cached, produced, _sum_known(costs))


def _sum_known(values: Iterable[Any]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _first_token(choice: Mapping[str, Any]) -> dict[str, float] | None:
    """Return the candidates of the first token with log probabilities, None if not reported."""
    try:
        first = choice["logprobs"]["content"][0]
        candidates = [first, *(first.get("top_logprobs") or ())]
        logprob_by_token = {str(candidate["token"]): float(candidate["logprob"]) for candidate in candidates}
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
        return None
    return logprob_by_token if all(map(math.isfinite, logprob_by_token.values())) else None
