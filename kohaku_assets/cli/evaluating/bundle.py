"""`kohaku bundle`: pack the current answers so that anyone can score them again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import PATH, with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("bundle")
@click.argument("out", type=PATH)
@verb("kohaku bundle experiment.zip")
@with_settings
def bundle_command(project: Project, out: Path) -> None:
    """Pack the current answers with their questions, settings, versions and scores into the file OUT.

    'kohaku replay' scores the bundle again, without documents, models or API keys.
    """
    from kohaku_assets.records.provenance import describe_experiment
    from kohaku_lib.evaluation.bundle import check_target, write_bundle

    check_target(out)
    latest = project.present_table
    questions, predictions = latest("questions"), latest("predictions")
    write_bundle(out, describe_experiment(project), questions, predictions, project.settings.ensemble)
    say(f"{predictions.num_rows} answers to {questions.num_rows} questions → {out}")
