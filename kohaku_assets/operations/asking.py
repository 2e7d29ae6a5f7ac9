"""Answers questions outside of a refresh: one at a time, or a file of them; nothing here writes an asset."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kohaku_assets.components.indexes import open_own_index
from kohaku_assets.components.preflight import ASKING, check_requirements
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_lib.answering import LOST_CHANNELS, lost_channels, read_questions
from kohaku_lib.evaluation import Judgement, build_submission, relevant_scores, score_contexts, vote
from kohaku_lib.evaluation.unknown_references import unknown_references
from kohaku_lib.index import SearchFilter, Snapshot, tenant_documents
from kohaku_lib.retrieval import results_from_table
from kohaku_lib.service import open_published_index
from kohaku_lib.service.open_project import ask_index, check_filter, check_not_empty, search_index
from kohaku_lib.service.question_answering import QuestionAnswering, joined_report
from kohaku_lib.tables import QUESTIONS, RetrievalResult, StageReport


def ask(project: Project, question: str, unit: str | None = None, where: SearchFilter | None = None) -> dict[str, Any]:
    """Return the prediction row (PREDICTIONS) for one question to what `where` allows of the published index.

    Raises InputFileError where the question is empty, StoreError where there is no index.
    """
    check_not_empty(question, "question", "ask")
    snapshot = open_published_index(project.store)
    answering = _answering(project, snapshot, ASKING[:2])
    if where is not None:
        check_filter(answering.session, snapshot, where)
    return ask_index(replace(answering, where=where), question, unit)


def search(
    project: Project, query: str, top_k: int, where: SearchFilter | None = None
) -> tuple[RetrievalResult, dict[str, dict[str, Any]]]:
    """Return the ranking of one query in the published index, and its first nodes, as `search_index`."""
    check_not_empty(query, "query", "search for")
    return search_index(Run(project).session, open_published_index(project.store), query, top_k, where)


def retrieve_file(project: Project, path: Path) -> tuple[list[dict[str, Any]], StageReport]:
    """Return id, queries, matches, snippets and lost channels per question of a file, and what went wrong."""
    snapshot = open_own_index(project)
    questions, report = read_questions(path)
    contexts, planned = _answering(project, snapshot, ASKING[:2]).contexts(questions)
    columns = ["id", "queries", "matches", "snippets", "trace_json"]
    rows = contexts.select(columns).to_pylist()
    named = [row | {LOST_CHANNELS: lost_channels(json.loads(row.pop("trace_json")))} for row in rows]
    return named, joined_report(report, planned)


def evaluate_retrieval(project: Project, judgements: Sequence[Judgement]) -> tuple[pa.Table, StageReport]:
    """Return the scores (RETRIEVAL_SCORES) of the contexts that the index of the settings gives for `judgements`."""
    snapshot = open_own_index(project)
    rows = [
        {"id": judgement.id, "question": judgement.question, "has_truth": True, "row_json": "{}"}
        for judgement in judgements
    ]
    contexts, planned = _answering(project, snapshot, ASKING[:2]).contexts(pa.Table.from_pylist(rows, schema=QUESTIONS))
    refs = {judgement.id: judgement.gains for judgement in judgements}
    own = tenant_documents(snapshot, project.settings.corpus.org_id)
    odd = unknown_references(refs, own["document_id"].to_pylist())
    return score_contexts(contexts, judgements), joined_report(StageReport(0, problems=tuple(odd)), planned)


def rerank_calibration(project: Project, judgements: Sequence[Judgement]) -> tuple[dict[str, list[float]], StageReport]:
    """Return what snippets known to be relevant score, by reranker, with nothing dropped by its score; and what went wrong."""
    plain = {"safety_threshold": None, "denoise_alpha": None, "score_gap": False, "conformal": None, "verify": "none"}
    rerank = project.settings.rerank.model_copy(update=plain)
    undropped = project.with_settings(project.settings.model_copy(update={"rerank": rerank}))
    rows = [{"id": one.id, "question": one.question, "has_truth": True, "row_json": "{}"} for one in judgements]
    questions = pa.Table.from_pylist(rows, schema=QUESTIONS)
    contexts, report = _answering(undropped, open_own_index(project), ASKING[:2]).contexts(questions)
    return relevant_scores(results_from_table(contexts), judgements), report


def answer_file(project: Project, path: Path, runs: int | None) -> tuple[list[pa.Table], StageReport]:
    """Return the answers to the questions of a file (SUBMISSION), and what went wrong.

    With `runs` there is one table per run; without, a single one, the vote of the settings' ensemble.
    """
    if runs is not None:
        project = project.with_runs(runs)
    snapshot = open_own_index(project)
    questions, report = read_questions(path)
    predictions, answered = _answering(project, snapshot, ASKING).answers(questions)
    members = [predictions.filter(pc.field("run") == run) for run in range(runs)] if runs else [predictions]
    tables = [build_submission(vote(own, project.settings.ensemble)[0], questions)[0] for own in members]
    return tables, joined_report(report, answered)


def _answering(project: Project, snapshot: Snapshot, stages: Collection[str]) -> QuestionAnswering:
    """Return what answers over `snapshot` in a new run; raises what is missing for the `stages` that are run."""
    run = Run(project)
    check_requirements(run, stages)
    return QuestionAnswering(run.session, snapshot)
