"""`kohaku leaderboard`: rank files of answers on the public and the private part of a truth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import PATH, KindOption, checks_settings, json_option
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS

if TYPE_CHECKING:
    from kohaku_lib.evaluation.experiments.leaderboard import Place


@click.command("leaderboard")
@click.argument("runs", type=PATH, nargs=-1, required=True)
@click.option("--truth", type=PATH, required=True, help="CSV with the true answers, and Public or Private under Usage.")
@click.option("--metric", type=KindOption(ANSWER_METRICS), default="wattbot", show_default=True)
@verb(
    "kohaku answer --questions data/sample/questions.csv --out run.csv --runs 3\n"
    "      kohaku leaderboard run.1.csv run.2.csv run.3.csv --truth data/sample/questions.csv"
)
@json_option
@checks_settings
def leaderboard_command(runs: tuple[Path, ...], truth: Path, metric: Any, as_json: bool) -> None:
    """Rank RUNS, files of answers, on both parts of a truth, with 95 % intervals and the places gained or lost.

    Without a column Usage half of the questions are public, chosen by a hash of their ids.
    """
    from kohaku_lib.answering import label_paths
    from kohaku_lib.evaluation import read_rows
    from kohaku_lib.evaluation.experiments.leaderboard import movers, score_leaderboard
    from kohaku_lib.evaluation.statistics.intervals import few_documents

    rows_by_run = {label: read_rows(path) for label, path in zip(label_paths(runs), runs, strict=True)}
    places = score_leaderboard(rows_by_run, read_rows(truth), metric)
    if as_json:
        print_json([_place_json(place) for place in places])
        return
    columns = ("run", "private", "95 %", "rank", "public", "95 %", "rank", "places gained")
    print_table(f"{metric}, by the private part", columns, [_place_row(place) for place in places])
    reports = [report for place in places for report in (place.public, place.private) if report]
    if warning := few_documents(report.interval for report in reports):
        say(warning)
    for place in movers(places):
        say(f"{place.team}: {place.public_rank} on the public part, {place.private_rank} on the private one")


def _place_row(place: Place) -> tuple[Any, ...]:
    public, private = (report.interval.text() if report else "" for report in (place.public, place.private))
    return (
        place.team,
        place.private_score,
        private,
        place.private_rank,
        place.public_score,
        public,
        place.public_rank,
        f"{place.gained:+d}",
    )


def _place_json(place: Place) -> dict[str, Any]:
    names = ("team", "public_score", "public_rank", "private_score", "private_rank", "gained")
    parts = {"public": place.public, "private": place.private}
    intervals = {part: report.interval for part, report in parts.items() if report}
    return (
        {name: getattr(place, name) for name in names}
        | {f"{part}_interval": [interval.low, interval.high] for part, interval in intervals.items()}
        | {f"{part}_clusters": interval.clusters for part, interval in intervals.items()}
    )
