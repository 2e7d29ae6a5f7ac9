"""`kohaku import-experiment`: record answers that were given elsewhere as an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import PATH, with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("import-experiment")
@click.argument("name")
@click.argument("answers", type=PATH)
@click.option("--summary", type=PATH, help="Its summary.json, in the form of the fork of KohakuRAG.")
@verb(
    "kohaku answer --questions data/sample/questions.csv --out run.csv\n      kohaku import-experiment elsewhere run.csv"
)
@with_settings
def import_experiment_command(project: Project, name: str, answers: Path, summary: Path | None) -> None:
    """Record the CSV file ANSWERS, to the labelled questions of the project, as the experiment NAME.

    The summary gives its model, times, tokens, cost, energy and memory.
    """
    from kohaku_assets.experiments.experiment_records import import_experiment

    import_experiment(project, name, answers, summary)
    say(f"{answers} is recorded as the experiment {name!r}; 'kohaku experiment' lists all of them")
