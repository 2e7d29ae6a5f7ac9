"""`kohaku ledger`: sum up the calls of language models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("ledger")
@verb("kohaku ledger")
@json_option
@with_settings
def ledger_command(project: Project, as_json: bool) -> None:
    """Summarise the calls of language models for corpus.org_id by model, run, stage and day: calls, tokens, cost, time."""
    from kohaku_lib.llm import summarise_ledger

    rows = summarise_ledger(project.paths.llm_calls, project.settings.corpus.org_id).to_pylist()
    if as_json:
        print_json(rows)
    elif rows:
        print_table("", list(rows[0]), [tuple(row.values()) for row in rows])
        paid, unpriced = sum(row["cost_usd"] or 0.0 for row in rows), sum(row["unpriced"] for row in rows)
        unknown = f", and {unpriced} replies of unknown price" if unpriced else ""
        say(f"{sum(row['calls'] for row in rows)} calls, {paid:.4f} US dollars{unknown}")
    else:
        say("no language model has been called")
