"""`kohaku history`: list earlier states of the project that can be compared."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_assets.records.state_history import PastState


MAX_CHANGES = 6  # listed per state


@click.command("history")
@verb("kohaku history")
@json_option
@with_settings
def history_command(project: Project, as_json: bool) -> None:
    """List the project states that can be compared, newest first, with their scores and changes.

    A state is recorded at the end of every run with consistent answers and scores. "held_back" marks answers whose
    scores blocked the release of an index; "lost" lists the outputs that 'kohaku gc' has removed since.
    """
    from kohaku_assets.records.state_history import changed_keys, past_states, removed_outputs

    states = past_states(project)
    changes = [changed_keys(older.records, newer.records) for newer, older in pairwise(states)]
    rows: list[tuple[Any, ...]] = [
        (*_summary(state), state.held_back, changed_names, removed_outputs(project, state))
        for state, changed_names in zip(states, [*changes, []], strict=False)  # the oldest state has no predecessor
    ]
    columns = ("state", "made_at", "index_version", "score", "held_back", "changed", "lost")
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    elif rows:
        table_rows = [(*row[:4], "yes" if row[4] else "", _shorten(row[5]), ", ".join(row[6])) for row in rows]
        print_table("", columns, table_rows)
    else:
        say("no state has been recorded yet; 'kohaku refresh' records one after answering and scoring")


def _shorten(names: list[str]) -> str:
    more = f" and {len(names) - MAX_CHANGES} more" if len(names) > MAX_CHANGES else ""
    return ", ".join(names[:MAX_CHANGES]) + more


def _summary(state: PastState) -> tuple[Any, ...]:
    return (state.id, state.made_at[:19], state.index_version, (state.metrics or {}).get("wattbot/ensemble/score"))
