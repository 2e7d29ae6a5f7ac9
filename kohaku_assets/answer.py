"""Assets of the group answer: from a file of questions to a structured answer per question and ensemble run."""

from __future__ import annotations

import dagster as dg

from kohaku_assets.batching import predict_in_batches, take_in_ended
from kohaku_assets.engines import answer_all, make_planner, make_retriever, open_index
from kohaku_assets.resources import AssetMaker
from kohaku_assets.stage_inputs import Inputs, StageOutput
from kohaku_lib.answering import read_questions
from kohaku_lib.retrieval import plan_queries, retrieve_contexts
from kohaku_lib.tables import QUESTIONS, StageReport, empty_table


def answer_assets(make: AssetMaker) -> list[dg.AssetsDefinition]:
    """Return the assets of the group, bound to the project of `make`."""
    project, settings = make.project, make.settings

    @make.asset("questions", kinds={"csv", "parquet"})
    def questions(inputs: Inputs) -> StageOutput:
        """The questions to answer, with their truth where the file has any; empty where no file is set."""
        if settings.corpus.questions is None:
            return empty_table(QUESTIONS), StageReport(rows_computed=0)
        return read_questions(settings.corpus.questions)

    @make.asset("query_plans")
    def query_plans(inputs: Inputs) -> StageOutput:
        """The search queries of each question, the question itself first."""
        return plan_queries(inputs["questions"], settings.planner, make_planner(project))

    @make.asset("retrieved_context", kinds={"python", "numpy"})
    def retrieved_context(inputs: Inputs) -> StageOutput:
        """Ranked nodes and the packed context of each question, with the trace of how they came about."""
        return retrieve_contexts(inputs["query_plans"], make_retriever(project, open_index(project, inputs)))

    @make.asset("predictions", output_required=False)
    def predictions(inputs: Inputs) -> StageOutput:
        """An answer per question and ensemble run, with citations; blank answers were retried deeper."""
        snapshot = open_index(project, inputs)
        if settings.llm.batch:
            return predict_in_batches(project, snapshot, inputs["questions"], inputs["retrieved_context"])
        take_in_ended(project)
        return answer_all(project, snapshot, inputs["questions"], inputs["retrieved_context"])

    return [questions, query_plans, retrieved_context, predictions]
