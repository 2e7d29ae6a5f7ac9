"""The verb that tells a gain from noise: compare."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.common import json_option, print_json, print_table, say, verb, with_settings
from kohaku_lib.errors import InputFileError

if TYPE_CHECKING:
    from kohaku_assets.project import Project
    from kohaku_lib.evaluation import RunComparison

FILE = click.Path(path_type=Path)
COLUMNS = ("metric", "part", "n", "first", "second", "difference", "95 % interval", "p", "detectable")


@click.command("compare")
@click.argument("first", type=FILE)
@click.argument("others", metavar="SECOND...", type=FILE, nargs=-1, required=True)
@click.option("--truth", type=FILE, help="CSV with the true answers; corpus.questions by default.")
@click.option("--metric", type=click.Choice(("wattbot", "kohaku", "fork", "all")), default="wattbot", show_default=True)
@verb(
    "kohaku answer --questions data/sample/questions.csv --out run.csv --runs 2\n"
    "      kohaku compare run.1.csv run.2.csv --truth data/sample/questions.csv"
)
@json_option
@with_settings
def compare_command(
    project: Project, first: Path, others: tuple[Path, ...], truth: Path | None, metric: str, as_json: bool
) -> None:
    """Compare each SECOND file of answers with FIRST, question by question.

    Prints the differences with their paired bootstrap intervals and permutation p-values, the questions that
    flipped, and the least difference that so many questions can show. With several SECOND files the p-values of
    the scores are Holm-corrected.
    """
    from kohaku_lib.evaluation import METRICS, compare_runs, holm_adjusted, read_rows

    labelled = read_rows(_truth_file(project, truth))
    baseline = read_rows(first)
    metrics: Any = METRICS if metric == "all" else (metric,)
    found = [compare_runs(labelled, baseline, read_rows(path), metrics) for path in others]
    scores = [[d for d in comparison.differences if d.part == "score"] for comparison in found]
    columns = [holm_adjusted([d.p_value for d in column]) for column in zip(*scores, strict=True)]
    corrected = [dict(zip(metrics, row, strict=True)) for row in zip(*columns, strict=True)]
    if as_json:
        pairs = zip(others, found, corrected, strict=True)
        print_json([{"first": str(first), "second": str(path), "holm": holm, **asdict(c)} for path, c, holm in pairs])
        return
    for path, comparison, holm in zip(others, found, corrected, strict=True):
        _print(f"{path} against {first}", comparison)
        if len(others) > 1:
            click.echo("p of the score, Holm-corrected: " + ", ".join(f"{m} {p:.4f}" for m, p in holm.items()))


def _truth_file(project: Project, truth: Path | None) -> Path:
    path = truth or project.settings.corpus.questions
    if path is None:
        msg = "Runs are compared against true answers, but there are none; name a CSV file with --truth or in corpus.questions."
        raise InputFileError(msg)
    return path


def _print(title: str, comparison: RunComparison) -> None:
    rows = [
        (d.metric, d.part, d.n, d.first, d.second, d.difference, _bounds(d.interval), d.p_value, d.detectable)
        for d in comparison.differences
    ]
    print_table(title, COLUMNS, rows)
    flips = [
        (flip.id, flip.metric, flip.first_value, flip.second_value, flip.second_score - flip.first_score)
        for flip in comparison.flips
    ]
    if flips:
        print_table("flipped", ("id", "metric", "first", "second", "gain"), flips)
    if comparison.unpaired:
        say(f"answered by one of them only, left out: {', '.join(comparison.unpaired)}")


def _bounds(interval: Any) -> str:
    return f"{interval.low:+.4f} to {interval.high:+.4f}"
