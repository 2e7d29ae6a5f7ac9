"""The parts of a context window sum to it, whatever its size, the tier and what instructions and passages need."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.cited.budgets import (
    LEAST_CHUNKS,
    LEAST_GENERATION,
    LEAST_HISTORY,
    LEAST_SYSTEM,
    LEAST_WINDOW,
    TokenBudget,
    newest_fitting,
    settle,
    share_out,
)
from kohaku_lib.answering.cited.tiers import TIERS, tier_of

WINDOWS = st.integers(LEAST_WINDOW, 300_000)


@pytest.mark.parametrize(
    ("size_b", "budget", "turns"),
    [
        (3.0, TokenBudget(800, 800, 4800, 1600), 3),
        (7.0, TokenBudget(800, 1200, 4400, 1600), 6),
        (13.0, TokenBudget(800, 1200, 4800, 1200), 10),
        (70.0, TokenBudget(800, 1200, 4800, 1200), 15),
    ],
)
def test_each_tier_shares_a_window_of_8000_tokens_as_specified(size_b, budget, turns):
    assert share_out(8000, tier_of(size_b)) == budget
    assert tier_of(size_b).turns == turns


@given(WINDOWS, st.sampled_from(TIERS))
def test_the_parts_sum_to_the_window_and_none_is_below_its_minimum(window, tier):
    budget = share_out(window, tier)
    assert budget.window == window
    assert budget.system >= LEAST_SYSTEM
    assert budget.history >= LEAST_HISTORY
    assert budget.chunks >= LEAST_CHUNKS
    assert budget.generation >= LEAST_GENERATION


def test_a_window_below_the_minimums_is_refused():
    with pytest.raises(ValueError, match="at least 756 tokens, got 755"):
        share_out(755, TIERS[0])


@given(WINDOWS, st.sampled_from(TIERS), st.integers(0, 400_000), st.integers(0, 400_000))
def test_settling_keeps_the_sum_and_the_minimums(window, tier, system_tokens, chunk_tokens):
    before = share_out(window, tier)
    after = settle(before, system_tokens, chunk_tokens)
    assert after.window == window
    assert after.system >= before.system
    assert after.generation == before.generation
    assert min(after.history - LEAST_HISTORY, after.chunks - LEAST_CHUNKS) >= 0
    assert after.chunks >= min(chunk_tokens, before.chunks - (after.system - before.system))


def test_instructions_take_half_of_the_history_before_they_take_passages():
    budget = settle(TokenBudget(800, 1200, 4400, 1600), system_tokens=1700, chunk_tokens=9000)
    assert budget == TokenBudget(1700, 600, 4100, 1600)


@given(st.lists(st.text(max_size=9), min_size=1), st.integers(0, 30), st.integers(1, 8))
def test_the_newest_items_are_kept_within_the_budget(items, budget, most):
    kept = newest_fitting(items, len, budget, most)
    assert 1 <= len(kept) <= most
    assert kept == items[-len(kept) :]
    assert sum(map(len, kept)) <= budget or len(kept) == 1
