"""Confidence intervals of means over questions, by document."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.evaluation.statistics.clusters import Clusters, effective_clusters, resampling_units

_Z = 1.959964  # of 95 %
_FEW = 20  # documents: below, percentile intervals over clusters are known to be too narrow


@dataclass(frozen=True, slots=True)
class Interval:
    """The bounds of a 95 % interval, None if there are no values, and the effective number of clusters behind it.

    `clusters` is None where questions count as independent.
    """

    low: float | None
    high: float | None
    clusters: float | None = None

    def text(self, digits: int = 3, *, signed: bool = False) -> str:
        """Return the bounds as text, empty if there are none, with the number of documents behind them if it is known.

        >>> Interval(0.25, 0.5).text(2), Interval(-0.25, 0.5, 7.25).text(1, signed=True), Interval(None, None).text()
        ('0.25 to 0.50', '-0.2 to +0.5, 7.2 documents', '')
        """
        if self.low is None or self.high is None:
            return ""
        sign = "+" if signed else ""
        documents = "" if self.clusters is None else f", {_count_documents(self.clusters)}"
        return f"{self.low:{sign}.{digits}f} to {self.high:{sign}.{digits}f}{documents}"


def few_documents(intervals: Iterable[Interval]) -> str:
    """Return a warning if fewer than 20 documents stand behind one of the intervals, else an empty text.

    >>> few_documents([Interval(0.1, 0.2, 30.0), Interval(0.1, 0.2, 7.0)])
    'An interval here rests on only 7 documents and may be too narrow.'
    """
    fewest = min((one.clusters for one in intervals if one.clusters is not None), default=_FEW)
    is_few = round(fewest, 1) < _FEW
    return f"An interval here rests on only {_count_documents(fewest)} and may be too narrow." if is_few else ""


def bootstrap_interval(
    values: Sequence[float] | np.ndarray, clusters: Clusters | None = None, seed: int = 0, resamples: int = 2000
) -> Interval:
    """Return the 95 % percentile bootstrap interval of the mean of `values`, (n,), resampled by whole clusters.

    Deterministic for a given seed. Without `clusters` each value is one; without values the bounds are None.

    >>> bootstrap_interval([1.0, 1.0, 1.0])
    Interval(low=1.0, high=1.0, clusters=3.0)
    """
    array = np.asarray(values, dtype=np.float64)
    own = [None] * array.size if clusters is None else clusters
    return resampled_interval(lambda counts: counts @ array / counts.sum(axis=1), own, seed, resamples)


def resampled_interval(
    statistic: Callable[[np.ndarray], np.ndarray], clusters: Clusters, seed: int = 0, resamples: int = 2000
) -> Interval:
    """Return the 95 % percentile bootstrap interval of a `statistic` of rows, resampled by whole clusters.

    `statistic` takes the number of draws of each row in each resample, (resamples, n), and returns (resamples,); NaN is
    left out. Without rows the bounds are None.

    >>> totals = resampled_interval(lambda counts: counts.sum(axis=1), ["a", "a", "b", "c"])
    >>> totals.low, totals.high  # three draws of a cluster of two rows or of one
    (3.0, 6.0)
    """
    if not len(clusters):
        return Interval(None, None)
    units = resampling_units(clusters)
    n = int(units.max()) + 1
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1.0 / n), size=resamples)
    found = statistic(np.take(draws, units, axis=1).astype(np.float64))
    low, high = np.quantile(found[~np.isnan(found)], [0.025, 0.975])
    return Interval(float(low), float(high), effective_clusters(clusters))


def wilson_interval(right: int, n: int) -> Interval:
    """Return the 95 % interval of a share by Wilson (1927, https://doi.org/10.1080/01621459.1927.10502953).

    Without observations it has no bounds.

    >>> wilson_interval(8, 10)
    Interval(low=0.4901624691221323, high=0.9433178490622331, clusters=None)
    """
    if not n:
        return Interval(None, None)
    share, spread = right / n, _Z * _Z / n
    middle = (share + spread / 2.0) / (1.0 + spread)
    half = _Z * math.sqrt(share * (1.0 - share) / n + spread / n / 4.0) / (1.0 + spread)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def _count_documents(clusters: float) -> str:
    return f"{round(clusters, 1):g} document{'' if round(clusters, 1) == 1 else 's'}"
