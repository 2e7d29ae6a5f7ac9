import pytest

from kohaku_lib.llm.prices import call_cost_usd
from kohaku_lib.settings import Price

PRICES = {"gpt-4o": Price(input_usd_per_million=2.5, output_usd_per_million=10.0)}


def test_tokens_are_priced_by_the_million():
    assert call_cost_usd("gpt-4o", 2_000, 500, PRICES) == pytest.approx(0.005 + 0.005)
    assert call_cost_usd("gpt-4o", 0, 0, PRICES) == 0.0


@pytest.mark.parametrize(("model", "tokens"), [("gpt-4o-mini", (1, 1)), ("gpt-4o", (None, 1)), ("gpt-4o", (1, None))])
def test_an_unknown_model_or_count_costs_unknown_not_zero(model, tokens):
    assert call_cost_usd(model, *tokens, PRICES) is None


def test_cached_tokens_have_their_own_price_where_the_list_has_one():
    prices = {"m": Price(input_usd_per_million=2.0, output_usd_per_million=8.0, cached_input_usd_per_million=0.5)}
    assert call_cost_usd("m", 1_000_000, 0, prices, 400_000) == pytest.approx(0.6 * 2.0 + 0.4 * 0.5)
    assert call_cost_usd("m", 100, 0, prices, 500) == pytest.approx(100 * 0.5 / 1e6)  # never more than there are
    full = {"m": Price(input_usd_per_million=2.0, output_usd_per_million=8.0)}
    assert call_cost_usd("m", 1_000_000, 0, full, 400_000) == pytest.approx(2.0)
