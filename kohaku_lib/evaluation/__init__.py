"""Evaluation: voting, scoring, retrieval metrics, error classes, submissions."""

from kohaku_lib.documents import read_rows
from kohaku_lib.evaluation.changes.context_changes import SnippetMove
from kohaku_lib.evaluation.changes.question_changes import QuestionChanges, compare_traces, why_changed
from kohaku_lib.evaluation.changes.question_trace import QuestionTrace, RecordedTables, trace_question
from kohaku_lib.evaluation.error_classes import report_errors
from kohaku_lib.evaluation.metrics.judgements import Judgement, read_judgements
from kohaku_lib.evaluation.metrics.retrieval_metrics import score_contexts, score_retrieval
from kohaku_lib.evaluation.metrics.retrieval_summary import compare_scores, summarise
from kohaku_lib.evaluation.metrics.score_answers import score_answers
from kohaku_lib.evaluation.metrics.scoring import RowScore, ScoreReport, score_rows
from kohaku_lib.evaluation.release import GateVerdict, judge_release, release_scores
from kohaku_lib.evaluation.relevant_snippets import relevant_scores
from kohaku_lib.evaluation.statistics.comparison import RunComparison, compare_runs, holm_by_metric
from kohaku_lib.evaluation.submission import build_submission, submission_rows, write_csv
from kohaku_lib.evaluation.sweeps.cells import SweepCell, cells_of
from kohaku_lib.evaluation.sweeps.presets import PRESETS
from kohaku_lib.evaluation.sweeps.scores import cell_scores
from kohaku_lib.evaluation.sweeps.summary_report import (
    SweepReport,
    report_sweep,
    sweep_winner,
)
from kohaku_lib.evaluation.voting.calibration import calibrate, calibrate_files
from kohaku_lib.evaluation.voting.vote import vote, vote_rows
from kohaku_lib.evaluation.voting.vote_files import vote_files

__all__ = [
    "PRESETS",
    "GateVerdict",
    "Judgement",
    "QuestionChanges",
    "QuestionTrace",
    "RecordedTables",
    "RowScore",
    "RunComparison",
    "ScoreReport",
    "SnippetMove",
    "SweepCell",
    "SweepReport",
    "build_submission",
    "calibrate",
    "calibrate_files",
    "cell_scores",
    "cells_of",
    "compare_runs",
    "compare_scores",
    "compare_traces",
    "holm_by_metric",
    "judge_release",
    "read_judgements",
    "read_rows",
    "release_scores",
    "relevant_scores",
    "report_errors",
    "report_sweep",
    "score_answers",
    "score_contexts",
    "score_retrieval",
    "score_rows",
    "submission_rows",
    "summarise",
    "sweep_winner",
    "trace_question",
    "vote",
    "vote_files",
    "vote_rows",
    "why_changed",
    "write_csv",
]
