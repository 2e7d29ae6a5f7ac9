"""The record of an experiment: its scores by all metrics, what went wrong, and its answer to every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.evaluation.metrics.scoring import ScoreReport, score_rows
from kohaku_lib.tables.experiments import EXPERIMENT_RESULTS, EXPERIMENTS
from kohaku_lib.values import is_blank

HEADLINE = "wattbot"


def record_experiment(
    facts: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], truth: Sequence[Mapping[str, str]]
) -> tuple[pa.Table, pa.Table]:
    """Return an experiment (EXPERIMENTS, one row) and its results (EXPERIMENT_RESULTS).

    Args:
        facts: The columns of the experiment that its answers do not give; those that are missing are unknown.
        rows: The answers with the WattBot columns; also, where known, `error`, `attempts` and `latency_s`.
        truth: The true answers.

    Raises:
        InputFileError: `score_rows` raises it.

    """
    reports = {metric: score_rows(truth, rows, metric) for metric in ANSWER_METRICS.names()}
    columns = dict(facts) | _score_columns(reports) | _count_columns(rows, reports[HEADLINE])
    if columns.get("latency_s") is None:
        columns["latency_s"] = _mean([row.get("latency_s") for row in rows])
    row_by_id = {row["id"]: row for row in rows}
    results = [
        {
            "experiment": facts["name"],
            "id": score.id,
            "metric": metric,
            **{part: getattr(score, part) for part in ("value", "ref", "na", "score")},
            "answer_value": row_by_id.get(score.id, {}).get("answer_value"),
            "latency_s": row_by_id.get(score.id, {}).get("latency_s"),
        }
        for metric, report in reports.items()
        for score in report.rows
    ]
    return (
        pa.Table.from_pylist([columns], schema=EXPERIMENTS),
        pa.Table.from_pylist(results, schema=EXPERIMENT_RESULTS),
    )


def failed_experiment(facts: Mapping[str, Any], problem: str) -> tuple[pa.Table, pa.Table]:
    """Return an experiment without scores, with the reason, and no results.

    >>> table, results = failed_experiment({"name": "a", "created": "2026-01-01", "source": "run"}, "no memory")
    >>> table["problem"].to_pylist(), table["wattbot"].to_pylist(), results.num_rows
    (['no memory'], [None], 0)
    """
    table = pa.Table.from_pylist([dict(facts) | {"problem": problem}], schema=EXPERIMENTS)
    return table, EXPERIMENT_RESULTS.empty_table()


def imported_facts(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of an experiment in the summary.json of the fork of KohakuRAG; what it lacks or has as 0 is unknown.

    >>> imported_facts({"model_id": "m", "hardware": {"gpu_energy_wh": 4.5}, "input_tokens": 0})
    {'model': 'm', 'gpu_energy_wh': 4.5}
    """
    own = {column: summary.get(name) for name, column in _SUMMARY.items()}
    own |= {column: (summary.get("hardware") or {}).get(name) for name, column in _SUMMARY_HARDWARE.items()}
    return {column: value for column, value in own.items() if value}


_SUMMARY = {
    "timestamp": "created",
    "llm_provider": "provider",
    "model_id": "model",
    "quantization": "dtype",
    "overall_score": "stated_score",
    "total_time_seconds": "seconds",
    "avg_latency_seconds": "latency_s",
    "avg_retrieval_seconds": "retrieval_s",
    "avg_generation_seconds": "answer_s",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "estimated_cost_usd": "cost_usd",
}
_SUMMARY_HARDWARE = {
    "cpu_rss_peak_bytes": "rss_peak_bytes",
    "gpu_vram_reserved_bytes": "vram_peak_bytes",
    "gpu_vram_total_bytes": "vram_total_bytes",
    "gpu_energy_wh": "gpu_energy_wh",
    "gpu_avg_power_watts": "gpu_mean_w",
    "gpu_peak_power_watts": "gpu_peak_w",
    "gpu_energy_method": "energy_method",
}


def _score_columns(reports: Mapping[str, ScoreReport]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for metric, report in reports.items():
        columns |= {metric: report.score, f"{metric}_value": report.value}
        columns |= {f"{metric}_ref": report.ref, f"{metric}_na": report.na}
    interval = asdict(reports[HEADLINE].interval)
    bounds = {f"wattbot_{name}": value for name, value in interval.items()}
    return columns | bounds | {"questions": reports[HEADLINE].n}


def _count_columns(rows: Sequence[Mapping[str, Any]], report: ScoreReport) -> dict[str, Any]:
    ids = {row.id for row in report.rows}
    scored = [row for row in rows if row["id"] in ids]
    return {
        "correct": sum(row.value == 1.0 for row in report.rows),
        "blank": sum(is_blank(row.get("answer_value") or "") for row in scored),
        "errors": sum(bool(row.get("error")) for row in scored),
        "retried": sum((row.get("attempts") or 1) > 1 for row in scored),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
