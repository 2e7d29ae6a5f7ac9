"""Questions to the index from outside a run: one at a time, or a file of them; nothing here writes an asset."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kohaku_assets.engines import (
    answer_all,
    answer_tools,
    make_planner,
    make_retriever,
    open_own_index,
    open_published_index,
)
from kohaku_assets.preflight import ASKING, check_means
from kohaku_assets.project import Project
from kohaku_lib.answering import LOST, answer_in_spite, lost_channels, read_questions
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import Judgement, build_submission, relevant_scores, score_contexts, vote
from kohaku_lib.evaluation.unknown_references import unknown_references
from kohaku_lib.index import SearchFilter, Snapshot, check_named, tenant_documents
from kohaku_lib.retrieval import plan_queries, plan_question, results_from_table, retrieve_contexts
from kohaku_lib.tables import QUESTIONS, RetrievalResult, StageReport

ADHOC_ID = "ask"


def ask(project: Project, question: str, unit: str | None = None) -> dict[str, Any]:
    """Return the prediction row (PREDICTIONS) for one question to the published index.

    Where the search lost a channel, the others answer: the trace of the row names it, and its confidence is lower.

    Raises InputFileError where the question is empty, StoreError where there is no index.
    """
    if not question.strip():
        msg = "the question is empty; ask something"
        raise InputFileError(msg)
    row = {"id": ADHOC_ID, "question": question, "answer_unit": unit, "has_truth": False, "row_json": "{}"}
    snapshot, questions = open_published_index(project), pa.Table.from_pylist([row], schema=QUESTIONS)
    contexts, _ = _contexts(project, snapshot, questions)
    table, _ = answer_in_spite(questions, contexts, project.settings, answer_tools(project, snapshot))
    return table.slice(0, 1).to_pylist()[0]


def search(
    project: Project, query: str, top_k: int, where: SearchFilter | None = None
) -> tuple[RetrievalResult, dict[str, dict[str, Any]]]:
    """Return the ranking of one query among what `where` allows, and the `top_k` first nodes by id.

    The query is taken as it stands, beside its correction and the strategy of its route where the settings ask for
    them. The trace tells the ranks of these nodes in every channel. Raises InputFileError where the query is empty, or
    `where` names what no document has.
    """
    if not query.strip():
        msg = "the query is empty; search for something"
        raise InputFileError(msg)
    snapshot = open_published_index(project)
    if where is not None:
        check_named(replace(where, org_id=project.settings.corpus.org_id), snapshot.documents)
    alone = project.settings.planner.model_copy(update={"max_queries": 1})
    plan = plan_question(query, ADHOC_ID, alone, None).plan
    [result] = make_retriever(project, snapshot, where, explained=top_k).retrieve([plan])
    ids = [match.node_id for match in result.matches[:top_k]]
    return result, dict(zip(ids, snapshot.get_nodes(ids), strict=True)) if ids else {}


def retrieve_file(project: Project, path: Path) -> tuple[list[dict[str, Any]], StageReport]:
    """Return id, queries, matches, snippets and lost channels per question of a file, and what went wrong."""
    snapshot = open_own_index(project)
    questions, report = read_questions(path)
    contexts, planned = _contexts(project, snapshot, questions)
    columns = ["id", "queries", "matches", "snippets", "trace_json"]
    rows = contexts.select(columns).to_pylist()
    named = [row | {LOST: lost_channels(json.loads(row.pop("trace_json")))} for row in rows]
    return named, _joined(report, planned)


def evaluate_retrieval(project: Project, judgements: Sequence[Judgement]) -> tuple[pa.Table, StageReport]:
    """Return the scores (RETRIEVAL_SCORES) of the contexts that the index of the settings gives for `judgements`."""
    snapshot = open_own_index(project)
    rows = [
        {"id": judgement.id, "question": judgement.question, "has_truth": True, "row_json": "{}"}
        for judgement in judgements
    ]
    contexts, planned = _contexts(project, snapshot, pa.Table.from_pylist(rows, schema=QUESTIONS))
    refs = {judgement.id: judgement.gains for judgement in judgements}
    own = tenant_documents(snapshot, project.settings.corpus.org_id)
    odd = unknown_references(refs, own["document_id"].to_pylist())
    return score_contexts(contexts, judgements), _joined(StageReport(0, problems=tuple(odd)), planned)


def rerank_calibration(project: Project, judgements: Sequence[Judgement]) -> tuple[dict[str, list[float]], StageReport]:
    """Return what snippets known to be relevant score, by reranker, with nothing dropped by its score; and what went wrong."""
    plain = {"safety_threshold": None, "denoise_alpha": None, "score_gap": False, "conformal": None, "verify": "none"}
    rerank = project.settings.rerank.model_copy(update=plain)
    settings = project.settings.model_copy(update={"rerank": rerank})
    undropped = Project(replace(project.loaded, settings=settings))
    rows = [{"id": one.id, "question": one.question, "has_truth": True, "row_json": "{}"} for one in judgements]
    questions = pa.Table.from_pylist(rows, schema=QUESTIONS)
    contexts, report = _contexts(undropped, open_own_index(project), questions)
    return relevant_scores(results_from_table(contexts), judgements), report


def answer_file(project: Project, path: Path, runs: int | None) -> tuple[list[pa.Table], StageReport]:
    """Return the answers to the questions of a file (SUBMISSION), and what went wrong.

    With `runs` there is one table per run; without, a single one, the vote of the settings' ensemble.
    """
    if runs is not None:
        project = project.with_runs(runs)
    snapshot = open_own_index(project)
    questions, report = read_questions(path)
    predictions, answered = _answer(project, snapshot, questions)
    members = [predictions.filter(pc.field("run") == run) for run in range(runs)] if runs else [predictions]
    tables = [build_submission(vote(own, project.settings.ensemble)[0], questions)[0] for own in members]
    return tables, _joined(report, answered)


def _answer(project: Project, snapshot: Snapshot, questions: pa.Table) -> tuple[pa.Table, StageReport]:
    check_means(project, ASKING)
    retriever = make_retriever(project, snapshot)
    plans, planned = plan_queries(questions, project.settings.planner, make_planner(project))
    contexts, retrieved = retrieve_contexts(plans, retriever)
    answers, answered = answer_all(project, snapshot, questions, contexts)
    return answers, _joined(planned, retrieved, answered)


def _contexts(project: Project, snapshot: Snapshot, questions: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return the contexts (RETRIEVED_CONTEXT) of `questions`, and what went wrong in planning them."""
    check_means(project, ASKING[:2])
    plans, planned = plan_queries(questions, project.settings.planner, make_planner(project))
    contexts, retrieved = retrieve_contexts(plans, make_retriever(project, snapshot))
    return contexts, _joined(planned, retrieved)


def _joined(*reports: StageReport) -> StageReport:
    """The problems of several steps, and the first gap that a fault from outside left."""
    problems = [problem for report in reports for problem in report.problems]
    gaps = [report.incomplete for report in reports if report.incomplete]
    return StageReport(rows_computed=0, problems=tuple(problems), incomplete=gaps[0] if gaps else None)
