"""Deeper contexts, retrieved once for all ensemble runs."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

from kohaku_lib.tables import QueryPlan, RetrievalResult, Snippet


class DeepRetriever(Protocol):
    """What deepening needs of retrieval: the contexts of some questions at a multiple of their depth."""

    def retrieve(self, plans: Sequence[QueryPlan], depth: int = 1) -> Sequence[RetrievalResult]:
        """Return one result per plan, in order, with `depth` times the usual results."""
        ...


class DeepContexts:
    """The snippets of a question at a depth, from `retriever`, which is asked by one thread at a time."""

    def __init__(self, retriever: DeepRetriever) -> None:
        self._retriever = retriever
        self._lock = threading.Lock()
        self._known: dict[tuple[str, int], tuple[Snippet, ...]] = {}

    def get(self, plan: QueryPlan, depth: int) -> tuple[Snippet, ...]:
        """Return the snippets of the plan's question at `depth`, best first."""
        with self._lock:
            if (plan.id, depth) not in self._known:
                results = self._retriever.retrieve([plan], depth=depth)
                self._known[plan.id, depth] = tuple(results[0].snippets)
            return self._known[plan.id, depth]
