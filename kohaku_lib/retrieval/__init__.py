"""Questions → queries → ranked nodes → a packed context."""

from kohaku_lib.retrieval.contexts import results_from_table, results_to_table, retrieve_contexts
from kohaku_lib.retrieval.plan import PlannerChat, plan_queries
from kohaku_lib.retrieval.retrieve import retrieve
from kohaku_lib.retrieval.retriever import Retriever

__all__ = [
    "PlannerChat",
    "Retriever",
    "plan_queries",
    "results_from_table",
    "results_to_table",
    "retrieve",
    "retrieve_contexts",
]
