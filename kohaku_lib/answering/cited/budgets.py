"""How a context window is shared out between instructions, history, passages and the reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from kohaku_lib.answering.cited.tiers import Tier

LEAST_SYSTEM, LEAST_HISTORY, LEAST_CHUNKS, LEAST_GENERATION = 200, 100, 200, 256  # tokens
LEAST_WINDOW = LEAST_SYSTEM + LEAST_HISTORY + LEAST_CHUNKS + LEAST_GENERATION

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """The tokens of a context window for each part of a prompt and for the reply."""

    system: int
    history: int
    chunks: int
    generation: int

    @property
    def window(self) -> int:
        """All tokens."""
        return self.system + self.history + self.chunks + self.generation


def share_out(window: int, tier: Tier) -> TokenBudget:
    """Return the budget of a window of `window` tokens by the shares of `tier`; its parts sum to the window.

    No part is below its minimum: passages give what the others lack, then the reply, then the history.

    Raises:
        ValueError: The window is smaller than the minimums.

    >>> from kohaku_lib.answering.cited.tiers import tier_of
    >>> share_out(8000, tier_of(7.0))
    TokenBudget(system=800, history=1200, chunks=4400, generation=1600)
    """
    if window < LEAST_WINDOW:
        msg = f"a context window must have at least {LEAST_WINDOW} tokens, got {window}"
        raise ValueError(msg)
    system = max(LEAST_SYSTEM, int(tier.system * window))
    history = max(LEAST_HISTORY, int(tier.history * window))
    generation = max(LEAST_GENERATION, int(tier.generation * window))
    chunks = window - system - history - generation
    lack = max(0, LEAST_CHUNKS - chunks)
    from_generation = min(lack, generation - LEAST_GENERATION)
    from_history = min(lack - from_generation, history - LEAST_HISTORY)
    from_system = lack - from_generation - from_history
    return TokenBudget(system - from_system, history - from_history, chunks + lack, generation - from_generation)


def settle(budget: TokenBudget, system_tokens: int, chunk_tokens: int) -> TokenBudget:
    """Return `budget` moved to what the instructions and passages need; the sum stays.

    Instructions that need more take up to half of the history, then from the passages, both down to their minimums. Of
    what passages leave unused half goes to the history.

    >>> settle(TokenBudget(800, 1200, 4400, 1600), system_tokens=1600, chunk_tokens=2000)
    TokenBudget(system=1600, history=1700, chunks=3100, generation=1600)
    """
    wanted = max(0, system_tokens - budget.system)
    from_history = min(wanted, budget.history // 2, budget.history - LEAST_HISTORY)
    from_chunks = min(wanted - from_history, budget.chunks - LEAST_CHUNKS)
    history, chunks = budget.history - from_history, budget.chunks - from_chunks
    returned = max(0, chunks - max(chunk_tokens, LEAST_CHUNKS)) // 2
    system = budget.system + from_history + from_chunks
    return replace(budget, system=system, history=history + returned, chunks=chunks - returned)


def newest_fitting(items: Sequence[Item], tokens: Callable[[Item], int], budget: int, most: int) -> list[Item]:
    """Return the newest of `items` (oldest first), at most `most`, within `budget` tokens, but at least the last one.

    >>> newest_fitting(["aaaa", "bb", "c"], len, budget=3, most=5), newest_fitting(["aaaa"], len, budget=3, most=5)
    (['bb', 'c'], ['aaaa'])
    """
    kept: list[Item] = []
    left = budget
    for item in reversed(items[-most:]):
        left -= tokens(item)
        if kept and left < 0:
            break
        kept.append(item)
    return kept[::-1]
