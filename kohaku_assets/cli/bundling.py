"""Verbs that carry an experiment to another machine: bundle, replay."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.common import FAILED_RUN, checks_settings, say, verb, with_settings

if TYPE_CHECKING:
    from kohaku_assets.project import Project

FILE = click.Path(path_type=Path)


@click.command("bundle")
@click.argument("out", type=FILE)
@verb("kohaku bundle experiment.zip")
@with_settings
def bundle_command(project: Project, out: Path) -> None:
    """Pack the present answers with their questions, settings, versions and scores into the file OUT.

    Who has the file can score it again with 'kohaku replay', without documents, models and keys.
    """
    from kohaku_assets.recording import describe_experiment
    from kohaku_lib.evaluation import check_target, write_bundle

    check_target(out)
    latest = project.present_table
    questions, predictions = latest("questions"), latest("predictions")
    write_bundle(out, describe_experiment(project), questions, predictions, project.settings.ensemble)
    say(f"{predictions.num_rows} answers to {questions.num_rows} questions → {out}")


@click.command("replay")
@click.argument("bundle", type=FILE)
@click.option("--out", type=FILE, required=True, help="CSV of the scores to write.")
@verb("kohaku bundle experiment.zip\n      kohaku replay experiment.zip --out scores.csv")
@checks_settings
def replay_command(bundle: Path, out: Path) -> None:
    """Vote and score the answers in BUNDLE again, and tell whether the scores are those it was packed with."""
    from kohaku_lib.evaluation import replay_bundle
    from kohaku_lib.storage import write_atomically

    if out.exists() and out.samefile(bundle):
        msg = "--out must be another file than the bundle"
        raise click.UsageError(msg)
    replay = replay_bundle(bundle)
    write_atomically(out, lambda path: path.write_bytes(replay.scores_csv))
    say(f"{bundle} of {replay.record.get('made_at', 'an unknown time')!s:.40} → {out}")
    if not replay.is_equal:
        say("the scores differ from those in the bundle: another version of Kohaku votes or scores otherwise")
        sys.exit(FAILED_RUN)
    say("the scores are byte for byte those in the bundle")
