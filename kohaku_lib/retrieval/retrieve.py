"""One question, one snapshot: the shortest way to a context."""

from __future__ import annotations

from functools import partial

from kohaku_lib.embedding import embed_queries
from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.retrieval.retriever import Retriever
from kohaku_lib.settings import Settings
from kohaku_lib.tables import RetrievalResult


def retrieve(question: str, snapshot: Snapshot, settings: Settings | None = None) -> RetrievalResult:
    """Return the ranked nodes and the context for `question`, planned by rule; the result's id is the question.

    For many questions build a `Retriever` once. `settings=None` means the built-in defaults.
    """
    settings = settings or Settings()
    queries = plan_by_rule(question, settings.planner.max_queries)
    retriever = Retriever(snapshot, settings.retrieval, partial(embed_queries, settings=settings.embedding))
    return retriever.retrieve([(question, queries)])[0]
