"""Estimates of tokens and cost before calls are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kohaku_lib.llm.chat import ChatRequest
from kohaku_lib.llm.ledger.summary import summarise_ledger
from kohaku_lib.llm.prices import call_cost_usd
from kohaku_lib.settings import Price
from kohaku_lib.text.token_estimates import estimated_tokens

IMAGE_TOKENS = 1000  # of an image of about 1000 × 1000 pixels
_LEAST_CUT_TOKENS = 1500  # shorter prompts are too short to judge
_CUT_SHARE = 0.4  # of the estimate: no text averages ten characters per token
_OVERHEAD_TOKENS = 10  # of the roles around two messages


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """The estimate for `calls` to `model`; `cost_usd` is None if the price is unknown.

    `output_tokens` is based on the mean of the model's earlier replies to the stage, else on their limit.
    """

    stage: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


def estimate_calls(
    requests: Sequence[ChatRequest], prices: Mapping[str, Price], ledger_folder: Path
) -> list[CallEstimate]:
    """Estimate `requests` by stage and model, in order of first occurrence."""
    means = _mean_output_tokens(ledger_folder)
    groups: dict[tuple[str, str], list[ChatRequest]] = {}
    for request in requests:
        groups.setdefault((request.stage, request.model), []).append(request)
    estimates = []
    for (stage, model), group in groups.items():
        input_tokens = sum(map(estimated_request_tokens, group))
        output_tokens = round(sum(means.get((stage, model), request.max_tokens) for request in group))
        cost = call_cost_usd(model, input_tokens, output_tokens, prices)
        estimates.append(CallEstimate(stage, model, len(group), input_tokens, output_tokens, cost))
    return estimates


def _mean_output_tokens(folder: Path) -> dict[tuple[str, str], float]:
    sums: dict[tuple[str, str], list[int]] = {}
    for row in summarise_ledger(folder).to_pylist():
        if row["output_tokens"] is not None:
            pair = sums.setdefault((row["stage"], row["model"]), [0, 0])
            pair[0] += row["output_tokens"]
            pair[1] += row["calls"] - row["failed"]
    return {key: tokens / calls for key, (tokens, calls) in sums.items() if calls}


def estimated_request_tokens(request: ChatRequest) -> int:
    """Estimate the input tokens of `request`: one per four characters, a thousand per image.

    >>> from kohaku_lib.llm import ChatRequest
    >>> estimated_request_tokens(ChatRequest("m", "a" * 40, "b" * 400, 0.0, 100, 0, 0, "predictions", "q1"))
    120
    """
    prompt_tokens = estimated_tokens(f"{request.system}{request.user}")
    return prompt_tokens + _OVERHEAD_TOKENS + IMAGE_TOKENS * len(request.images)


def tokens_left_unread(request: ChatRequest, input_tokens: int | None) -> int | None:
    """Estimate how many tokens of a prompt the server silently dropped; None without evidence.

    Some servers truncate a prompt to their configured context and answer from the rest.

    >>> from kohaku_lib.llm import ChatRequest
    >>> long = ChatRequest("m", "", "a" * 27_960, 0.0, 100, 0, 0, "predictions", "q1")
    >>> tokens_left_unread(long, 2000), tokens_left_unread(long, 5000)
    (5000, None)
    """
    estimate = estimated_request_tokens(replace(request, images=()))
    if input_tokens is None or estimate < _LEAST_CUT_TOKENS or input_tokens >= _CUT_SHARE * estimate:
        return None
    return estimate - input_tokens
