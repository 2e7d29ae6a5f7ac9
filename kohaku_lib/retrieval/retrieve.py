"""Retrieval of a context for one question from one snapshot."""

from __future__ import annotations

from functools import partial

from kohaku_lib.embedding import embed_queries
from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.retrieval.retriever import Retriever
from kohaku_lib.settings import Settings
from kohaku_lib.tables import RetrievalResult


def retrieve(question: str, snapshot: Snapshot, settings: Settings | None = None) -> RetrievalResult:
    """Return the ranked nodes and the context for `question`, planned by rule; the id of the result is the question.

    For several questions, create one `Retriever`. `settings` are the built-in defaults if None.
    """
    settings = settings or Settings()
    queries = plan_by_rule(question, settings.planner.max_queries)
    retriever = Retriever(snapshot, settings.retrieval, partial(embed_queries, settings=settings.embedding))
    return retriever.retrieve([(question, queries)])[0]
