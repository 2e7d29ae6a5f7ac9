"""Scores of predictions against the truth: value, references and abstention by a metric, with an interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS, AnswerCells, AnswerParts
from kohaku_lib.evaluation.metrics.evidence import cluster_of
from kohaku_lib.evaluation.statistics.intervals import Interval, resampled_interval

WEIGHTS = {"value": 0.75, "ref": 0.15, "na": 0.10}


@dataclass(frozen=True, slots=True)
class RowScore:
    """The scores of one question, each part 0 to 1; `na` is None if the metric excludes the row from its NA mean.

    `score` is the weighted sum of the parts; a row without `na` gets full credit for it. Rows of one `cluster` are not
    independent; None is a cluster of its own.
    """

    id: str
    value: float
    ref: float
    na: float | None
    score: float
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """The means over `n` questions, their weighted sum with a 95 % bootstrap interval, and the rows in truth order.

    `missing` are the ids of the truth without a prediction (skipped by wattbot and fork, mostly 0 by kohaku), `extra`
    the predicted ids without truth (never scored).
    """

    metric: str
    n: int
    value: float
    ref: float
    na: float
    score: float
    interval: Interval
    rows: tuple[RowScore, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def score_rows(
    truth: Sequence[Mapping[str, str | None]],
    predictions: Sequence[Mapping[str, str | None]],
    metric: str = "wattbot",
    seed: int = 0,
) -> ScoreReport:
    """Return the score of rows with `id`, `answer_value` and `ref_id`: 0.75 value + 0.15 ref + 0.10 NA.

    Args:
        truth: The rows with the right answers, in the order of the report's rows; those about one document, or with
            the same text in a column `cluster`, are resampled together.
        predictions: The rows to score.
        metric: A name in ANSWER_METRICS: wattbot is the competition's metric, kohaku that of KohakuRAG's validator,
            fork that of its later fork (values normalised first, NA as recall over the unanswerable rows, 1.0 if there
            are none).
        seed: Seed of the bootstrap.

    Raises:
        InputFileError: The truth is empty, a column is missing, an id is empty or occurs twice.
        KohakuError: There is no such metric.

    Example:
        >>> truth = [{"id": "q1", "answer_value": "80", "ref_id": "['a']"}, {"id": "q2", "answer_value": "1", "ref_id": "b"}]
        >>> report = score_rows(truth, [{"id": "q1", "answer_value": "80.0", "ref_id": "['a','b']"}])
        >>> report.n, report.value, report.ref, round(report.score, 3), report.missing
        (1, 1.0, 0.5, 0.925, ('q2',))

    """
    truth_by_id, prediction_by_id = _by_id(truth, "truth"), _by_id(predictions, "predictions")
    if not truth_by_id:
        msg = "Truth must contain at least one row with an id, got none; give a CSV file with labelled questions."
        raise InputFileError(msg)
    rows = tuple(
        score
        for name, row in truth_by_id.items()
        if (score := _score_row(name, row, prediction_by_id.get(name), metric)) is not None
    )
    parts = _resampled_scores(rows, np.ones((1, len(rows)))) if rows else np.zeros((4, 1))
    return ScoreReport(
        metric,
        len(rows),
        *(float(part[0]) for part in parts),
        interval=resampled_interval(
            lambda counts: _resampled_scores(rows, counts)[3], [row.cluster for row in rows], seed
        ),
        rows=rows,
        missing=tuple(name for name in truth_by_id if name not in prediction_by_id),
        extra=tuple(name for name in prediction_by_id if name not in truth_by_id),
    )


def _score_row(
    name: str, truth: Mapping[str, str | None], predicted: Mapping[str, str | None] | None, metric: str
) -> RowScore | None:
    parts = ANSWER_METRICS.get(metric).score(
        _answer_cells(truth), None if predicted is None else _answer_cells(predicted)
    )
    return None if parts is None else RowScore(name, *parts, _weighted_score(parts), cluster_of(truth))


def _answer_cells(row: Mapping[str, str | None]) -> AnswerCells:
    return AnswerCells(_cell_text(row, "answer_value"), _cell_text(row, "ref_id"))


def _weighted_score(parts: AnswerParts) -> float:
    na_credit = 1.0 if parts.na is None else parts.na
    return WEIGHTS["value"] * parts.value + WEIGHTS["ref"] * parts.ref + WEIGHTS["na"] * na_credit


def _resampled_scores(rows: Sequence[RowScore], counts: np.ndarray) -> np.ndarray:
    """Return value, ref, NA and score, (4, resamples); resample i contains row j `counts[i, j]` times."""
    total = counts.sum(axis=1)
    value = counts @ np.array([row.value for row in rows]) / total
    ref = counts @ np.array([row.ref for row in rows]) / total
    na_counts = counts @ np.array([float(row.na is not None) for row in rows])
    na_sums = counts @ np.array([row.na or 0.0 for row in rows])
    na = np.where(na_counts > 0, na_sums / np.maximum(na_counts, 1.0), 1.0)
    return np.stack([value, ref, na, WEIGHTS["value"] * value + WEIGHTS["ref"] * ref + WEIGHTS["na"] * na])


def _by_id(rows: Sequence[Mapping[str, str | None]], what: str) -> dict[str, Mapping[str, str | None]]:
    for column in ("id", "answer_value", "ref_id"):
        if rows and column not in rows[0]:
            msg = f"The {what} must have a column {column!r}, found {list(rows[0])}; add it or use another file."
            raise InputFileError(msg)
    ids = [_cell_text(row, "id") for row in rows]
    repeated_ids = [name for name, count in Counter(ids).items() if count > 1]
    if repeated_ids:
        msg = f"Ids in the {what} must be unique, but {repeated_ids[:5]!r} occur more than once; remove the repeated rows."
        raise InputFileError(msg)
    if "" in ids:
        msg = f"Every row of the {what} must have an id, but row {ids.index('') + 1} has ''; fill or remove it."
        raise InputFileError(msg)
    return dict(zip(ids, rows, strict=True))


def _cell_text(row: Mapping[str, str | None], column: str) -> str:
    return (row.get(column) or "").strip()
