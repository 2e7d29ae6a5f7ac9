"""`kohaku experiment`: run and measure an experiment, or list all of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import PATH, json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import FAILED_RUN, verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("experiment")
@click.argument("name", required=False)
@click.option("--force", is_flag=True, help="Run NAME again even if it is recorded for these settings and files.")
@click.option("--limit-s", type=click.FloatRange(min=0, min_open=True), help="Time limit of the run, in seconds.")
@click.option("--limit-mb", type=click.FloatRange(min=0, min_open=True), help="Memory limit of the run, in MiB.")
@click.option("--env", "environment", metavar="TEXT", help="What to call this machine in the record, such as GB10.")
@click.option("--html", type=PATH, help="Write all experiments as a page with pictures and the matrix of results.")
@verb(
    "kohaku experiment bolder --set answer.wrong_answer_penalty=0.5\n      kohaku experiment --html experiments.html",
    resumes=True,
)
@json_option
@with_settings
def experiment_command(
    project: Project,
    name: str | None,
    force: bool,
    environment: str | None,
    html: Path | None,
    as_json: bool,
    **limits: float | None,
) -> None:
    """Answer the labelled questions with these settings, record the experiment as NAME, and list all experiments.

    Recorded are scores by three metrics, time, tokens, cost, memory, energy where it can be read, the machine and the
    answers; kohaku.duckdb in the store has them as experiments, experiment_results and results_matrix. One question is
    answered first, and calls in the ledger are not repeated.
    """
    from kohaku_assets.experiments.experiment_records import recorded, recorded_results
    from kohaku_assets.experiments.experiment_runs import is_recorded, run_experiment
    from kohaku_lib.evaluation.experiments.meter import Limits

    problem = None
    if name is not None and not force and is_recorded(project, name):
        say(f"{name!r} is recorded for these settings and files; --force runs it again")
    elif name is not None:
        problem = run_experiment(project, name, Limits(limits["limit_s"], limits["limit_mb"]), say, environment)
    experiments = recorded(project)
    if html is not None:
        _write_page(html, experiments, recorded_results(project))
    if as_json:
        print_json(experiments)
    else:
        _print_experiments(experiments)
    if problem is not None:
        sys.exit(FAILED_RUN)


def _print_experiments(experiments: list[dict[str, Any]]) -> None:
    from kohaku_lib.evaluation.experiments.audit import audit
    from kohaku_lib.evaluation.report.experiment_page import energy_wh

    rows = [
        (
            row["name"],
            row["model"],
            row["environment"] or "",
            row["questions"],
            row["wattbot"],
            row["kohaku"],
            row["fork"],
            row["latency_s"],
            energy_wh(row),
            row["cost_usd"],
        )
        for row in sorted(experiments, key=lambda row: -(row["wattbot"] or 0.0))
    ]
    print_table("", ("experiment", "model", "env", "n", "wattbot", "kohaku", "fork", "s a question", "Wh", "USD"), rows)
    for name, flags in audit(experiments).items():
        for flag in flags:
            say(f"{name}: {flag}")


def _write_page(html: Path, experiments: list[dict[str, Any]], results: list[dict[str, Any]]) -> None:
    from kohaku_lib.evaluation.report.experiment_page import experiment_page
    from kohaku_lib.storage import write_atomically

    page = experiment_page(experiments, results)
    write_atomically(html, lambda path: path.write_text(page, encoding="utf-8"))
    say(f"page: {html}")
