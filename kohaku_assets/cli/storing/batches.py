"""`kohaku batches`: list the batches of calls, wait for them or cancel them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import FAILED_RUN, verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.llm.batches import BatchRecord


COLUMNS = ("batch_id", "model", "state", "status", "requests", "done", "failed", "replies", "cost_usd", "problem")


@click.command("batches")
@click.option("--wait", is_flag=True, help="Refresh whenever a batch has ended, until all questions are answered.")
@click.option(
    "--every", "every_s", type=click.FloatRange(min=0), default=60.0, show_default=True, help="Seconds between polls."
)
@click.option("--cancel", is_flag=True, help="Cancel the open batches; replies received so far are saved.")
@verb("kohaku batches")
@json_option
@with_settings
def batches_command(project: Project, wait: bool, every_s: float, cancel: bool, as_json: bool) -> None:
    """List the batches of calls (llm.batch = true) with their status on the server, results and cost."""
    from kohaku_assets.components.batching import poll_batches
    from kohaku_assets.operations.batch_waiting import cancel_batches, refresh_until_answered
    from kohaku_assets.pipeline.run import Run

    run = Run(project)
    if cancel:
        say(f"{len(cancel_batches(run))} open batches are cancelled")
    report = refresh_until_answered(run, every_s, _say_open) if wait else None
    _print_batches(poll_batches(run), as_json)
    if report is not None and report.failure:
        say(f"kohaku: {report.failure}")
        sys.exit(FAILED_RUN)


def _say_open(open_batches: list[BatchRecord]) -> None:
    for record in open_batches:
        say(f"{record.batch_id}: {record.status}, {record.done or 0} of {record.requests} done")


def _print_batches(records: list[BatchRecord], as_json: bool) -> None:
    rows: list[dict[str, Any]] = [{name: getattr(record, name) for name in COLUMNS} for record in records]
    if as_json:
        print_json(rows)
    elif rows:
        print_table("", [name.replace("_", " ") for name in COLUMNS], [tuple(row.values()) for row in rows])
    else:
        say("no batch has been submitted; llm.batch = true submits the questions of a file in batches")
