"""Questions to answers: plan, retrieve, answer. All verbs and stages that answer questions use this module."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import pyarrow as pa

from kohaku_lib.answering import Answerer, AnswerTools, answer_despite_lost_channels, answer_on_actors, answer_questions
from kohaku_lib.answering.deep_contexts import DeepRetriever
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.retrieval import plan_queries, results_from_table, retrieve_contexts
from kohaku_lib.service.answerers import make_answer_tools, make_answerer, own_documents
from kohaku_lib.service.chat_models import make_planner, make_replanner
from kohaku_lib.service.retrievers import make_retriever
from kohaku_lib.service.session import Session
from kohaku_lib.tables import RetrievalResult, StageReport


def plan(session: Session, questions: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return the search queries (QUERY_PLANS) of `questions`."""
    return plan_queries(questions, session.settings.planner, make_planner(session))


@dataclass
class QuestionAnswering:
    """Retrieval and answers over `snapshot` by the settings of `session`; each part is created on first use.

    Only nodes that `where` allows are searched, for deeper contexts too. `watched_retriever` and `watched_answerer`
    replace the parts of the settings.
    """

    session: Session
    snapshot: Snapshot
    where: SearchFilter | None = None
    watched_retriever: DeepRetriever | None = None
    watched_answerer: Answerer | None = None

    @cached_property
    def retriever(self) -> DeepRetriever:
        """The retriever over the snapshot."""
        return self.watched_retriever or make_retriever(self.session, self.snapshot, self.where)

    @cached_property
    def tools(self) -> AnswerTools:
        """The answerer, the retriever of deeper contexts, and the documents that can be cited."""
        answerer = self.watched_answerer or make_answerer(self.session, self.snapshot)
        documents = own_documents(self.session, self.snapshot)
        return AnswerTools(answerer, self.retriever, documents, make_replanner(self.session))

    def contexts(self, questions: pa.Table) -> tuple[pa.Table, StageReport]:
        """Return the contexts (RETRIEVED_CONTEXT) of `questions`."""
        plans, plan_report = plan(self.session, questions)
        contexts, context_report = self.retrieve(plans)
        return contexts, joined_report(plan_report, context_report)

    def results(self, questions: pa.Table) -> list[RetrievalResult]:
        """Return the contexts of `questions`, in their order."""
        contexts, _ = self.contexts(questions)
        return results_from_table(contexts)

    def retrieve(self, plans: pa.Table) -> tuple[pa.Table, StageReport]:
        """Return the contexts (RETRIEVED_CONTEXT) of `plans`."""
        return retrieve_contexts(plans, self.retriever)

    def answers(self, questions: pa.Table) -> tuple[pa.Table, StageReport]:
        """Return the predictions (PREDICTIONS) for `questions`, planning and retrieval included."""
        contexts, context_report = self.contexts(questions)
        predictions, answer_report = self.answer(questions, contexts)
        return predictions, joined_report(context_report, answer_report)

    def answer(self, questions: pa.Table, contexts: pa.Table) -> tuple[pa.Table, StageReport]:
        """Return the predictions (PREDICTIONS), computed by this process or, if engine.kind is "ray", by Ray actors.

        A single answer is always computed by this process. Questions whose search lost a channel fail.
        """
        session, settings = self.session, self.session.settings
        if settings.engine.kind == "ray" and questions.num_rows * settings.ensemble.runs > 1:
            make = partial(make_answer_tools, session.home, self.snapshot.version)
            return answer_on_actors(questions, contexts, settings, make, session.on_progress)
        return self.answer_here(questions, contexts)

    def answer_here(self, questions: pa.Table, contexts: pa.Table) -> tuple[pa.Table, StageReport]:
        """Return the predictions (PREDICTIONS), by this process."""
        session = self.session
        return answer_questions(questions, contexts, session.settings, self.tools, session.on_progress)

    def answer_despite_lost_channels(self, questions: pa.Table) -> tuple[pa.Table, StageReport]:
        """Return the predictions for `questions`, including those whose search lost a channel; their trace names it."""
        contexts, _ = self.contexts(questions)
        return answer_despite_lost_channels(questions, contexts, self.session.settings, self.tools)


def joined_report(*reports: StageReport) -> StageReport:
    """Return the problems of several steps, and the first gap that an external fault left."""
    problems = [problem for report in reports for problem in report.problems]
    gaps = [report.incomplete for report in reports if report.incomplete]
    return StageReport(rows_computed=0, problems=tuple(problems), incomplete=gaps[0] if gaps else None)
