"""`kohaku usage`: how the assistant was used, month by month."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("usage")
@verb("kohaku usage")
@json_option
@with_settings
def usage_command(project: Project, as_json: bool) -> None:
    """Sum up the served questions by month: volume, unanswered share, latency, cost, cache, feedback, drift of topics.

    Also brings served_questions of kohaku.duckdb in the store up to date.
    """
    from kohaku_assets.records.usage_tables import usage_table, write_usage_table

    rows = usage_table(project, "usage_report").to_pylist()
    if rows:
        write_usage_table(project, "served_questions")  # for kohaku.duckdb
    if as_json:
        print_json(rows)
    elif rows:
        shown = [
            {name: round(value, 3) if isinstance(value, float) else value for name, value in row.items()}
            for row in rows
        ]
        print_table("", [name.replace("_", " ") for name in shown[0]], [tuple(row.values()) for row in shown])
    else:
        say("no question has been served yet")
