"""Deeper contexts, retrieved once for all ensemble runs."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from kohaku_lib.answering.figures import passages_of
from kohaku_lib.answering.lost_channels import lost_channels
from kohaku_lib.tables import QueryPlan, RetrievalResult, Snippet


class DeepRetriever(Protocol):
    """Retrieves contexts at a multiple of the usual depth."""

    def retrieve(self, plans: Sequence[QueryPlan], depth: int = 1) -> Sequence[RetrievalResult]:
        """Return one result per plan, in order, with `depth` times the usual number of results."""
        ...


class DeepContexts:
    """A cache of snippets and figures by question and depth; `retriever` is called by one thread at a time.

    Figures without a caption are included if `uncaptioned`. `lost` contains the lost search channels by question id.
    """

    def __init__(self, retriever: DeepRetriever, *, uncaptioned: bool = False) -> None:
        self._retriever, self._uncaptioned = retriever, uncaptioned
        self._lock = threading.Lock()
        self._cache: dict[tuple[str, int, int], tuple[Snippet, ...]] = {}
        self.lost: dict[str, dict[str, str]] = {}

    def get(self, plan: QueryPlan, depth: int, top_k: int = 0) -> tuple[Snippet, ...]:
        """Return the snippets of the plan's question at `depth`, best first, followed by the figures.

        With `top_k` dense search has that many results, whatever the settings and the depth say.
        """
        with self._lock:
            if (plan.id, depth, top_k) not in self._cache:
                if top_k:
                    plan = replace(plan, channel_top_k={**plan.channel_top_k, "dense": top_k})
                [result] = self._retriever.retrieve([plan], depth=depth)
                if lost := lost_channels(result.trace):
                    self.lost.setdefault(plan.id, {}).update(lost)
                self._cache[plan.id, depth, top_k] = passages_of(result, uncaptioned=self._uncaptioned)
            return self._cache[plan.id, depth, top_k]
