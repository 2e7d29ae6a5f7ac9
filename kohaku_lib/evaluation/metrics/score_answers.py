"""Scores of the ensemble and every run against the truth in the questions file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import pyarrow as pa

from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.evaluation.metrics.judgements import truth_cells
from kohaku_lib.evaluation.metrics.scoring import ScoreReport, score_rows
from kohaku_lib.evaluation.run_rows import rows_by_run
from kohaku_lib.evaluation.submission import text_row
from kohaku_lib.tables import SCORES, StageReport, empty_table

ENSEMBLE = "ensemble"


def score_answers(questions: pa.Table, votes: pa.Table, predictions: pa.Table) -> tuple[pa.Table, StageReport]:
    """Return SCORES of the ensemble and of each run by all three metrics, over the questions with truth.

    Answers are scored as written to the submission. Without truth the table is empty. The metrics of the report are
    "<metric>/<member>/<part>", where part is value, ref, na, score, n, score_low, score_high (95 % bootstrap) or
    score_clusters.
    """
    truth = truth_rows(questions)
    if not truth:
        return empty_table(SCORES), StageReport(0)
    members: dict[str, Sequence[Mapping[str, str]]] = {ENSEMBLE: [text_row(row) for row in votes.to_pylist()]}
    members |= rows_by_run(predictions)
    reports = {
        (member, metric): score_rows(truth, rows, metric)
        for member, rows in members.items()
        for metric in ANSWER_METRICS.names()
    }
    rows = [
        {"member": member, "metric": metric, **asdict(row)}
        for (member, metric), report in reports.items()
        for row in report.rows
    ]
    figures: dict[str, float] = {}
    for (member, metric), report in reports.items():
        figures |= {f"{metric}/{member}/{part}": figure for part, figure in _score_figures(report).items()}
    problems = _missing_votes(reports[ENSEMBLE, "wattbot"])
    return pa.Table.from_pylist(rows, schema=SCORES), StageReport(len(rows), problems=problems, metrics=figures)


def truth_rows(questions: pa.Table) -> list[dict[str, str]]:
    """Return the input rows of the questions that have truth, with their id, as text."""
    empty = {"answer_value": "", "ref_id": ""}
    labelled = (question for question in questions.to_pylist() if question["has_truth"])
    return [empty | truth_cells(question) | {"id": question["id"]} for question in labelled]


def _score_figures(report: ScoreReport) -> dict[str, float]:
    parts = {"value": report.value, "ref": report.ref, "na": report.na, "score": report.score, "n": float(report.n)}
    interval = asdict(report.interval)
    return parts | {f"score_{name}": value for name, value in interval.items() if value is not None}


def _missing_votes(report: ScoreReport) -> tuple[str, ...]:
    return tuple(f"The question {name!r} has truth but no vote." for name in report.missing)
