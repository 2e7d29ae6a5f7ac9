"""Contexts, scores and answers for files of questions, from the index of the settings; nothing here writes an asset."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kohaku_assets.components.indexes import open_own_index
from kohaku_assets.components.preflight import ANSWERING, checked_session
from kohaku_assets.pipeline.project import Project
from kohaku_lib.answering import LOST_CHANNELS, lost_channels, questions_to_table, read_questions
from kohaku_lib.evaluation import Judgement, build_submission, relevant_scores, score_contexts, vote
from kohaku_lib.evaluation.unknown_references import unknown_references
from kohaku_lib.index import tenant_documents
from kohaku_lib.project import open_engine
from kohaku_lib.project.question_tables import answer_table, context_table
from kohaku_lib.retrieval import read_plans, results_from_table, retrieve_contexts
from kohaku_lib.tables import Question, StageReport, joined_report


def retrieve_file(project: Project, path: Path) -> tuple[list[dict[str, Any]], StageReport]:
    """Return id, queries, matches, snippets and failed channels per question of a file, and the problems."""
    snapshot = open_own_index(project)
    questions, report = read_questions(path)
    engine = open_engine(checked_session(project, ANSWERING[:2]), snapshot)
    contexts, context_report = context_table(engine, questions)
    return _context_rows(contexts), joined_report(report, context_report)


def retrieve_queries(project: Project, path: Path) -> tuple[list[dict[str, Any]], StageReport]:
    """Return the same for the queries of a file of plans, which are searched as they are."""
    engine = open_engine(checked_session(project, ANSWERING[1:2]), open_own_index(project))
    contexts, report = retrieve_contexts(read_plans(path), engine)
    return _context_rows(contexts), report


def _context_rows(contexts: pa.Table) -> list[dict[str, Any]]:
    columns = ["id", "queries", "matches", "snippets", "trace_json"]
    rows = contexts.select(columns).to_pylist()
    return [row | {LOST_CHANNELS: lost_channels(json.loads(row.pop("trace_json")))} for row in rows]


def evaluate_retrieval(project: Project, judgements: Sequence[Judgement]) -> tuple[pa.Table, StageReport]:
    """Return the scores (RETRIEVAL_SCORES) of the contexts retrieved for `judgements` from the current index."""
    snapshot = open_own_index(project)
    engine = open_engine(checked_session(project, ANSWERING[:2]), snapshot)
    contexts, context_report = context_table(engine, _question_table(judgements))
    refs = {judgement.id: judgement.gains for judgement in judgements}
    own = tenant_documents(snapshot, project.settings.corpus.org_id)
    odd = unknown_references(refs, own["document_id"].to_pylist())
    return score_contexts(contexts, judgements), joined_report(StageReport(0, problems=tuple(odd)), context_report)


def rerank_calibration(project: Project, judgements: Sequence[Judgement]) -> tuple[dict[str, list[float]], StageReport]:
    """Return the scores of snippets known to be relevant by reranker, without any score cutoff, and the problems."""
    plain = {"safety_threshold": None, "denoise_alpha": None, "score_gap": False, "conformal": None, "verify": "none"}
    rerank = project.settings.rerank.model_copy(update=plain)
    undropped = project.with_settings(project.settings.model_copy(update={"rerank": rerank}))
    engine = open_engine(checked_session(undropped, ANSWERING[:2]), open_own_index(project))
    contexts, report = context_table(engine, _question_table(judgements))
    return relevant_scores(results_from_table(contexts), judgements), report


def answer_file(project: Project, path: Path, runs: int | None) -> tuple[list[pa.Table], StageReport]:
    """Return the answers to the questions of a file (SUBMISSION), and the problems.

    With `runs` there is one table per run, else a single one with the ensemble vote of the settings.
    """
    if runs is not None:
        project = project.with_runs(runs)
    snapshot = open_own_index(project)
    questions, report = read_questions(path)
    session = checked_session(project, ANSWERING)
    contexts, context_report = context_table(open_engine(session, snapshot), questions)
    predictions, answer_report = answer_table(session, snapshot, questions, contexts)
    members = [predictions.filter(pc.field("run") == run) for run in range(runs)] if runs else [predictions]
    tables = [build_submission(vote(own, project.settings.ensemble)[0], questions)[0] for own in members]
    return tables, joined_report(report, context_report, answer_report)


def _question_table(judgements: Sequence[Judgement]) -> pa.Table:
    return questions_to_table([Question(one.id, one.question) for one in judgements])
