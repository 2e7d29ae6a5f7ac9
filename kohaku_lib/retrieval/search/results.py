"""The search results of a batch, with failures and timings."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.retrieval.fusion.interface import QueryRankings
from kohaku_lib.retrieval.search.limits import limited
from kohaku_lib.retrieval.search.prepare import PreparedPlan, SearchRequest
from kohaku_lib.retrieval.search.search_channels import ChannelResults
from kohaku_lib.tables import PlannedQuery


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The rankings of every request, the failures by channel, and the milliseconds of each step for the whole batch."""

    by_request: dict[SearchRequest, QueryRankings]
    failures: dict[str, str]
    timings_ms: dict[str, float]
    vectors: Mapping[str, np.ndarray]  # of the texts of the requests

    def add(self, requests: Sequence[SearchRequest], results: ChannelResults) -> None:
        """Add the results of some requests."""
        self.by_request.update(zip(requests, results.rankings, strict=True))
        self.failures.update(results.failures)
        for name, ms in results.timings_ms.items():
            self.timings_ms[name] = self.timings_ms.get(name, 0.0) + ms

    def rankings(
        self, prepared_plan: PreparedPlan, requests: Sequence[tuple[PlannedQuery, SearchRequest]]
    ) -> list[QueryRankings]:
        """Return the results of each query of a plan, limited to the top_k per channel of the plan and its settings."""
        return [limited(self.by_request[request], prepared_plan) for _, request in requests]


class Clock:
    """Measures the duration of the steps after those of the batch."""

    def __init__(self, batch_ms: Mapping[str, float]) -> None:
        self.laps_ms = dict(batch_ms)
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Record the time since the last lap as that of `name`."""
        now = time.perf_counter()
        self.laps_ms[name] = (now - self._last) * 1000
        self._last = now
