"""What came out, and how good it is: voting, scoring, retrieval metrics, error classes, submissions."""

from kohaku_lib.evaluation.csv_rows import read_rows
from kohaku_lib.evaluation.scoring import METRICS, RowScore, ScoreReport, score_rows

__all__ = ["METRICS", "RowScore", "ScoreReport", "read_rows", "score_rows"]
