"""Steps of the group answer: from a file of questions to a structured answer per question and ensemble run."""

from __future__ import annotations

from kohaku_assets.components.batching import collect_ended, predict_in_batches
from kohaku_assets.components.indexes import open_index
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import Inputs, StageOutput
from kohaku_lib.answering import read_questions, with_accepted
from kohaku_lib.project import open_engine
from kohaku_lib.project.question_tables import answer_table, plan_table
from kohaku_lib.retrieval import retrieve_contexts
from kohaku_lib.tables import QUESTIONS, StageReport, empty_table


def questions(run: Run, _inputs: Inputs) -> StageOutput:
    """The questions to answer, with their truth if the file has any, and those of users whose truth was accepted."""
    corpus = run.settings.corpus
    own = (empty_table(QUESTIONS), StageReport(rows_computed=0))
    table, report = own if corpus.questions is None else read_questions(corpus.questions)
    if not corpus.accepted_questions.is_file():
        return table, report
    return with_accepted(table, report, corpus.accepted_questions, corpus.org_id)


def query_plans(run: Run, inputs: Inputs) -> StageOutput:
    """The search queries of each question, the question itself first."""
    return plan_table(run.session, inputs["questions"])


def retrieved_context(run: Run, inputs: Inputs) -> StageOutput:
    """Ranked nodes and the packed context of each question, with the retrieval trace."""
    return retrieve_contexts(inputs["query_plans"], open_engine(run.session, open_index(run.project, inputs)))


def predictions(run: Run, inputs: Inputs) -> StageOutput:
    """An answer per question and ensemble run, with citations; blank answers are retried with deeper retrieval."""
    snapshot = open_index(run.project, inputs)
    if run.settings.llm.batch:
        return predict_in_batches(run, snapshot, inputs["questions"], inputs["retrieved_context"])
    collect_ended(run)
    return answer_table(run.session, snapshot, inputs["questions"], inputs["retrieved_context"])
