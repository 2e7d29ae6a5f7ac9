"""`kohaku replay`: score a bundle of answers again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import PATH, checks_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import FAILED_RUN, verb

if TYPE_CHECKING:
    pass


@click.command("replay")
@click.argument("bundle", type=PATH)
@click.option("--out", type=PATH, required=True, help="CSV of the scores to write.")
@verb("kohaku bundle experiment.zip\n      kohaku replay experiment.zip --out scores.csv")
@checks_settings
def replay_command(bundle: Path, out: Path) -> None:
    """Vote and score the answers in BUNDLE again, and check that the scores equal those in the bundle."""
    from kohaku_lib.evaluation.bundle import replay_bundle
    from kohaku_lib.storage import write_atomically

    if out.exists() and out.samefile(bundle):
        msg = "--out must be another file than the bundle"
        raise click.UsageError(msg)
    replay = replay_bundle(bundle)
    write_atomically(out, lambda path: path.write_bytes(replay.scores_csv))
    say(f"{bundle} of {replay.record.get('made_at', 'an unknown time')!s:.40} → {out}")
    if not replay.is_equal:
        say("the scores differ from those in the bundle: this version of Kohaku votes or scores differently")
        sys.exit(FAILED_RUN)
    say("the scores are byte-identical to those in the bundle")
