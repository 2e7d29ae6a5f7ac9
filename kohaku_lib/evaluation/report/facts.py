"""The figures of an error report, computed apart from their presentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from kohaku_lib.evaluation.abstention.signals import signals_of
from kohaku_lib.evaluation.error_classes import ERROR_CLASSES, RIGHT, report_errors
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.evaluation.metrics.evidence import cluster_of
from kohaku_lib.evaluation.metrics.score_answers import ENSEMBLE, truth_rows
from kohaku_lib.evaluation.metrics.scoring import ScoreReport, score_rows
from kohaku_lib.evaluation.report.confidence import ConfidenceAssessment, JudgedAnswer, assess_confidence
from kohaku_lib.evaluation.report.members import MemberFacts, agreements, member_facts, right_ids
from kohaku_lib.evaluation.report.shares import Share, answer_kind, evidence_of, shares
from kohaku_lib.evaluation.report.wrong import WrongQuestion, wrong_questions
from kohaku_lib.evaluation.submission import submission_rows
from kohaku_lib.evaluation.voting.members import Rows
from kohaku_lib.values import is_blank


@dataclass(frozen=True, slots=True)
class Answers:
    """The tables that a report is computed from.

    `questions` is QUESTIONS, `votes` ENSEMBLE_VOTES, `predictions` PREDICTIONS or None if only files of answers are
    available, `contexts` RETRIEVED_CONTEXT or None if unknown. `members` are the rows of each run as text, with the
    WattBot columns. `costs` are the known costs in US dollars by member.
    """

    questions: pa.Table
    votes: pa.Table
    members: Mapping[str, Rows]
    predictions: pa.Table | None
    contexts: pa.Table | None
    costs: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """The figures of a report.

    `headline` is the label of the scored answers, `scores` their scores by each metric. `blanked_score` is the
    cross-validated official score with uncertain answers left blank; None if `confidence` is. `knows_contexts` is
    whether errors could be attributed to the retrieval.
    """

    headline: str
    questions: int
    scores: tuple[ScoreReport, ...]
    classes: Mapping[str, int]
    by_kind: tuple[Share, ...]
    by_evidence: tuple[Share, ...]
    members: tuple[MemberFacts, ...]
    labels: tuple[str, ...]
    agreement: Sequence[Sequence[float]]
    confidence: ConfidenceAssessment | None
    blanked_score: float | None
    wrong: tuple[WrongQuestion, ...]
    knows_contexts: bool


def gather_facts(answers: Answers, blank_cost: float) -> ErrorFacts | None:
    """Return the figures of a report on `answers`; None if no question has truth.

    A single run is scored directly, several by their vote. A question with several kinds of evidence counts for each of
    them.
    """
    truth = truth_rows(answers.questions)
    if not truth:
        return None
    truth_by_id = {row["id"]: row for row in truth}
    text_by_id = dict(zip(answers.questions["id"].to_pylist(), answers.questions["question"].to_pylist(), strict=True))
    headline, rows = _headline_rows(answers)
    scores = tuple(score_rows(truth, rows, metric) for metric in ANSWER_METRICS.names())
    right_ids_of_headline = {row.id for row in scores[0].rows if row.value == 1.0} - _invented_ids(truth_by_id, rows)
    assessment = assess_confidence(_judged_answers(answers, truth_by_id, right_ids_of_headline), len(truth), blank_cost)
    errors = report_errors(answers.questions, answers.votes, answers.contexts)[0].to_pylist()
    counts = Counter(row["error_class"] for row in errors)
    right_by_member = {
        label: right_ids(score_rows(truth, rows, "wattbot"), truth_by_id) for label, rows in answers.members.items()
    }
    return ErrorFacts(
        headline,
        len(truth),
        scores,
        {name: counts[name] for name in (RIGHT, *ERROR_CLASSES)},
        shares(
            (answer_kind(text_by_id[name], row["answer_value"]), name in right_ids_of_headline)
            for name, row in truth_by_id.items()
        ),
        shares((kind, name in right_ids_of_headline) for name, row in truth_by_id.items() for kind in evidence_of(row)),
        member_facts(truth, answers.members, (headline, rows) if len(answers.members) > 1 else None, answers.costs),
        tuple(answers.members),
        agreements(truth, answers.members),
        assessment,
        _score_with_blanks(truth, rows, assessment),
        wrong_questions(
            errors,
            truth_by_id,
            _rows_by_id(answers.votes),
            _predictions_by_id(answers.predictions),
            None if answers.contexts is None else _rows_by_id(answers.contexts),
            right_by_member if len(right_by_member) > 1 else {},
            assessment.probabilities if assessment else {},
        ),
        answers.contexts is not None,
    )


def _headline_rows(answers: Answers) -> tuple[str, Rows]:
    if len(answers.members) == 1:
        [(label, rows)] = answers.members.items()
        return label, rows
    return ENSEMBLE, submission_rows(answers.votes)


def _invented_ids(truth: Mapping[str, Mapping[str, str]], rows: Rows) -> set[str]:
    """Return the unanswerable questions that were answered; the official metric accepts any value for them."""
    answered_ids = {row["id"] for row in rows if not is_blank(row.get("answer_value"))}
    return {name for name, row in truth.items() if is_blank(row["answer_value"]) and name in answered_ids}


def _judged_answers(answers: Answers, truth: Mapping[str, Mapping[str, str]], right: set[str]) -> list[JudgedAnswer]:
    predictions, contexts = (
        _predictions_by_id(answers.predictions),
        {} if answers.contexts is None else _rows_by_id(answers.contexts),
    )
    return [
        JudgedAnswer(
            vote["id"],
            vote["id"] in right,
            not is_blank(truth[vote["id"]]["answer_value"]),
            signals_of(vote, predictions.get(vote["id"], ()), contexts.get(vote["id"])),
            cluster_of(truth[vote["id"]]),
        )
        for vote in answers.votes.to_pylist()
        if vote["id"] in truth and not is_blank(vote["answer_value"])
    ]


def _score_with_blanks(truth: Rows, rows: Rows, assessment: ConfidenceAssessment | None) -> float | None:
    if assessment is None:
        return None
    blank = set(assessment.abstention.left_blank)
    rows_with_blanks = [{**row, "answer_value": "", "ref_id": ""} if row["id"] in blank else row for row in rows]
    report = score_rows(truth, rows_with_blanks, "wattbot")
    return report.score


def _rows_by_id(table: pa.Table) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in table.to_pylist()}


def _predictions_by_id(predictions: pa.Table | None) -> dict[str, list[dict[str, Any]]]:
    rows_by_id: dict[str, list[dict[str, Any]]] = {}
    for row in predictions.to_pylist() if predictions is not None else ():
        rows_by_id.setdefault(row["id"], []).append(row)
    return rows_by_id
