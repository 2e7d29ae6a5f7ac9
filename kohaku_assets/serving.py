"""One question at a time, from the published index: what an application calls."""

from __future__ import annotations

from typing import Any

from kohaku_assets.engines import make_answerer, make_retriever, open_published_index
from kohaku_assets.project import Project
from kohaku_lib.answering import answer_questions
from kohaku_lib.errors import InputFileError
from kohaku_lib.retrieval import plan_queries, retrieve_contexts
from kohaku_lib.tables import QUESTIONS, RetrievalResult

ADHOC_ID = "ask"


def ask(project: Project, question: str, unit: str | None = None) -> dict[str, Any]:
    """Return the prediction row (PREDICTIONS) for one question; InputFileError where it is empty."""
    import pyarrow as pa

    if not question.strip():
        msg = "the question is empty; ask something"
        raise InputFileError(msg)
    row = {"id": ADHOC_ID, "question": question, "answer_unit": unit, "has_truth": False, "row_json": "{}"}
    questions = pa.Table.from_pylist([row], schema=QUESTIONS)
    snapshot = open_published_index(project)
    retriever = make_retriever(project, snapshot)
    plans, _ = plan_queries(questions, project.settings.planner, make_planner(project))
    contexts, _ = retrieve_contexts(plans, retriever)
    table, _ = answer_questions(
        questions, contexts, retriever, project.settings, make_answerer(project), snapshot.documents
    )
    return table.slice(0, 1).to_pylist()[0]


def search(project: Project, query: str, top_k: int) -> tuple[RetrievalResult, dict[str, dict[str, Any]]]:
    """Return the ranking of one query, taken as it stands, and the `top_k` first nodes by id."""
    snapshot = open_published_index(project)
    [result] = make_retriever(project, snapshot).retrieve([(ADHOC_ID, [query])])
    ids = [match.node_id for match in result.matches[:top_k]]
    return result, dict(zip(ids, snapshot.get_nodes(ids), strict=True))
