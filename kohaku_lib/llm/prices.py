"""The cost of calls."""

from __future__ import annotations

from collections.abc import Mapping

from kohaku_lib.settings import Price


def call_cost_usd(
    model: str,
    input_tokens: int | None,
    output_tokens: int | None,
    prices: Mapping[str, Price],
    cached_tokens: int | None = None,
) -> float | None:
    """Return the cost of a call in US dollars; None if the model's price or a token count is unknown.

    The name must match the price list exactly: "gpt-4o" is no price for "gpt-4o-mini". `input_tokens` include the
    `cached_tokens`, which have the full price by default.

    >>> prices = {"small": Price(input_usd_per_million=0.5, output_usd_per_million=2.0)}
    >>> call_cost_usd("small", 1_000_000, 500_000, prices)
    1.5
    >>> call_cost_usd("small-2", 10, 10, prices) is None
    True
    """
    price = prices.get(model)
    if price is None or input_tokens is None or output_tokens is None:
        return None
    full = price.input_usd_per_million
    reduced = full if price.cached_input_usd_per_million is None else price.cached_input_usd_per_million
    cached = min(cached_tokens or 0, input_tokens)
    return ((input_tokens - cached) * full + cached * reduced + output_tokens * price.output_usd_per_million) / 1e6
