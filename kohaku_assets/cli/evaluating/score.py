"""`kohaku score`: score a file of answers against the truth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import PATH, KindOption, checks_settings, json_option
from kohaku_assets.cli.shared.output import emit, print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS

if TYPE_CHECKING:
    pass


@click.command("score")
@click.option("--truth", type=PATH, required=True, help="CSV with the true answers.")
@click.option("--pred", type=PATH, required=True, help="CSV with the answers to score.")
@click.option(
    "--metric",
    type=KindOption(ANSWER_METRICS),
    default="wattbot",
    show_default=True,
    help="The competition's official metric, that of KohakuRAG's validator, or that of its later fork.",
)
@verb("kohaku score --truth data/sample/questions.csv --pred data/store/submission.csv")
@json_option
@checks_settings
def score_command(truth: Path, pred: Path, metric: Any, as_json: bool) -> None:
    """Score a file of answers: 0.75 value + 0.15 references + 0.10 abstention."""
    from kohaku_lib.evaluation import read_rows, score_rows
    from kohaku_lib.evaluation.statistics.intervals import few_documents

    report = score_rows(read_rows(truth, on_problem=say), read_rows(pred, on_problem=say), metric)
    interval = report.interval
    summary = {"metric": report.metric, "n": report.n, "score": report.score}
    summary |= {"interval": [interval.low, interval.high], "clusters": interval.clusters}
    summary |= {"value": report.value, "ref": report.ref, "na": report.na}
    summary |= {"missing": list(report.missing), "extra": list(report.extra)}
    if as_json:
        print_json(summary)
        return
    rows = [(row.id, row.value, row.ref, row.na, row.score) for row in report.rows]
    print_table("", ("id", "value", "ref", "na", "score"), rows)
    if warning := few_documents([interval]):
        say(warning)
    emit(", ".join(f"{name} {_format(value)}" for name, value in summary.items() if value != []))


def _format(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_format(part) for part in value)}]"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
