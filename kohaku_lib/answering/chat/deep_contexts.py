"""Deeper contexts, retrieved once for all ensemble runs."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

from kohaku_lib.answering.figures import figure_snippets
from kohaku_lib.answering.lost_channels import lost_channels
from kohaku_lib.tables import QueryPlan, RetrievalResult, Snippet


class DeepRetriever(Protocol):
    """What deepening needs of retrieval: the contexts of some questions at a multiple of their depth."""

    def retrieve(self, plans: Sequence[QueryPlan], depth: int = 1) -> Sequence[RetrievalResult]:
        """Return one result per plan, in order, with `depth` times the usual results."""
        ...


class DeepContexts:
    """The snippets and figures of a question at a depth, from `retriever`, which is asked by one thread at a time.

    Figures without a caption are among them where `uncaptioned`. What a search lost stands in `lost`, by question.
    """

    def __init__(self, retriever: DeepRetriever, *, uncaptioned: bool = False) -> None:
        self._retriever, self._uncaptioned = retriever, uncaptioned
        self._lock = threading.Lock()
        self._known: dict[tuple[str, int], tuple[Snippet, ...]] = {}
        self.lost: dict[str, dict[str, str]] = {}

    def get(self, plan: QueryPlan, depth: int) -> tuple[Snippet, ...]:
        """Return the snippets of the plan's question at `depth`, best first, and then the figures."""
        with self._lock:
            if (plan.id, depth) not in self._known:
                [result] = self._retriever.retrieve([plan], depth=depth)
                if lost := lost_channels(result.trace):
                    self.lost.setdefault(plan.id, {}).update(lost)
                figures = figure_snippets(result.images, len(result.snippets), uncaptioned=self._uncaptioned)
                self._known[plan.id, depth] = (*result.snippets, *figures)
            return self._known[plan.id, depth]
