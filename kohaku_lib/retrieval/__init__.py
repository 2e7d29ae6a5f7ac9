"""Questions → queries → ranked nodes → a packed context."""

from kohaku_lib.retrieval.contexts import results_from_table, results_to_table, retrieve_contexts, snippet_from_row
from kohaku_lib.retrieval.fusion.interface import TRACED
from kohaku_lib.retrieval.packing.ordering import in_order
from kohaku_lib.retrieval.planning.plan_file import read_plans
from kohaku_lib.retrieval.planning.plan_question import PlannerChat, plan_question
from kohaku_lib.retrieval.refine.dependencies import RefineDependencies
from kohaku_lib.retrieval.retriever import Retriever, retrieve

__all__ = [
    "TRACED",
    "PlannerChat",
    "RefineDependencies",
    "Retriever",
    "in_order",
    "plan_question",
    "read_plans",
    "results_from_table",
    "results_to_table",
    "retrieve",
    "retrieve_contexts",
    "snippet_from_row",
]
