"""Tables of questions to tables of contexts and answers, over one index snapshot."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from kohaku_lib.answering import Engine, GivenParts, answer_on_actors, answer_questions, plan_questions
from kohaku_lib.index import Snapshot
from kohaku_lib.project.chat_models import make_planner
from kohaku_lib.project.index_parts import actor_parts, open_engine
from kohaku_lib.project.session import Session
from kohaku_lib.retrieval import retrieve_contexts
from kohaku_lib.tables import StageReport, joined_report


def plan_table(session: Session, questions: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return the search queries (QUERY_PLANS) of `questions` (QUESTIONS), without an index."""
    planner = make_planner(session)
    return plan_questions(questions, Engine(session.settings, GivenParts((), planner=planner)))


def context_table(engine: Engine, questions: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return the contexts (RETRIEVED_CONTEXT) of `questions` (QUESTIONS)."""
    plans, plan_report = plan_questions(questions, engine)
    contexts, context_report = retrieve_contexts(plans, engine)
    return contexts, joined_report(plan_report, context_report)


def answer_table(
    session: Session, snapshot: Snapshot, questions: pa.Table, contexts: pa.Table
) -> tuple[pa.Table, StageReport]:
    """Return the predictions (PREDICTIONS), computed by this process or, if parallel.kind is "ray", by Ray actors.

    A single answer is always computed by this process. Questions whose search lost a channel fail.
    """
    settings = session.settings
    if settings.parallel.kind == "ray" and questions.num_rows * settings.ensemble.runs > 1:
        make = partial(actor_parts, session.home, snapshot.version)
        return answer_on_actors(questions, contexts, settings, make, session.on_progress)
    return answer_questions(questions, contexts, open_engine(session, snapshot), session.on_progress)
