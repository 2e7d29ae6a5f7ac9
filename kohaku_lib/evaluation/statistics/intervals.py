"""Confidence intervals of means over questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Interval:
    """The bounds of a 95 % interval; None if there are no values."""

    low: float | None
    high: float | None

    def text(self, digits: int = 3) -> str:
        """Return the bounds as text, empty if there are none.

        >>> Interval(0.25, 0.5).text(2), Interval(None, None).text()
        ('0.25 to 0.50', '')
        """
        if self.low is None or self.high is None:
            return ""
        return f"{self.low:.{digits}f} to {self.high:.{digits}f}"


def bootstrap_interval(values: Sequence[float] | np.ndarray, seed: int = 0, resamples: int = 2000) -> Interval:
    """Return the 95 % percentile bootstrap interval of the mean of `values`, (n,), resampled with replacement.

    Deterministic for a given seed. Without values the bounds are None.

    >>> bootstrap_interval([1.0, 1.0, 1.0])
    Interval(low=1.0, high=1.0)
    """
    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        return Interval(None, None)
    return percentile_interval(resample_counts(array.size, seed, resamples) @ array / array.size)


def wilson_interval(successes: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson's score (Wilson 1927); 0 to 1 without observations.

    >>> [round(bound, 3) for bound in wilson_interval(8, 10)]
    [0.49, 0.943]
    """
    if n == 0:
        return 0.0, 1.0
    z = 1.959964
    share, spread = successes / n, z * z / n
    centre = (share + spread / 2) / (1 + spread)
    half = z * ((share * (1 - share) / n + spread / (4 * n)) ** 0.5) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def resample_counts(n: int, seed: int, resamples: int = 2000) -> np.ndarray:
    """Return the number of draws of each of `n` rows in each bootstrap resample, (resamples, n) float64."""
    generator = np.random.default_rng(seed)
    return generator.multinomial(n, np.full(n, 1.0 / n), size=resamples).astype(np.float64)


def percentile_interval(statistics: np.ndarray) -> Interval:
    """Return the central 95 % interval of resampled `statistics`, (resamples,)."""
    low, high = np.quantile(statistics, [0.025, 0.975])
    return Interval(float(low), float(high))
