"""Questions → queries → ranked nodes → a packed context."""

from kohaku_lib.retrieval.channels import TRACED
from kohaku_lib.retrieval.contexts import results_from_table, results_to_table, retrieve_contexts, snippet_from_row
from kohaku_lib.retrieval.ordering import in_order
from kohaku_lib.retrieval.plan import plan_queries
from kohaku_lib.retrieval.plan_question import PlannerChat, plan_question
from kohaku_lib.retrieval.refiner import Refiner
from kohaku_lib.retrieval.retrieve import retrieve
from kohaku_lib.retrieval.retriever import Retriever

__all__ = [
    "TRACED",
    "PlannerChat",
    "Refiner",
    "Retriever",
    "in_order",
    "plan_queries",
    "plan_question",
    "results_from_table",
    "results_to_table",
    "retrieve",
    "retrieve_contexts",
    "snippet_from_row",
]
