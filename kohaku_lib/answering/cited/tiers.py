"""Tiers of chat models by their size: how many turns they are shown, and how their context window is shared out."""

from __future__ import annotations

from dataclasses import dataclass

UNKNOWN_SIZE_B = 3.0
DEFAULT_WINDOW = 8_000


@dataclass(frozen=True, slots=True)
class Tier:
    """The models of up to `most_size_b` billion parameters: turns shown and shares of the context window."""

    name: str
    most_size_b: float
    turns: int
    system: float
    history: float
    chunks: float
    generation: float


TIERS = (
    Tier("tiny", 3.0, 3, 0.10, 0.10, 0.60, 0.20),
    Tier("small", 9.0, 6, 0.10, 0.15, 0.55, 0.20),
    Tier("medium", 34.0, 10, 0.10, 0.15, 0.60, 0.15),
    Tier("large", float("inf"), 15, 0.10, 0.15, 0.60, 0.15),
)


def tier_of(size_b: float) -> Tier:
    """Return the tier of a model of `size_b` billion parameters; a limit belongs to the smaller tier.

    >>> [tier_of(size_b).name for size_b in (0.5, 3.0, 3.1, 9.0, 34.0, 70.0)]
    ['tiny', 'tiny', 'small', 'small', 'medium', 'large']
    """
    return next(tier for tier in TIERS if size_b <= tier.most_size_b)
