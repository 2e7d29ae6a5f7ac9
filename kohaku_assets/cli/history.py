"""The verb history."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.common import json_option, print_json, print_table, say, verb, with_settings

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_assets.records.state_history import PastState


MOST_CHANGES = 6  # of a state that are listed


@click.command("history")
@verb("kohaku history")
@json_option
@with_settings
def history_command(project: Project, as_json: bool) -> None:
    """List the states of the project whose answers can be compared, newest first, with their scores and what changed.

    A state is kept at the end of every run that leaves answers and scores that belong together. Held back are
    answers whose scores kept an index from being published, lost are the outputs that 'kohaku gc' has removed since.
    """
    from kohaku_assets.records.state_history import changed_keys, lost_outputs, past_states

    states = past_states(project)
    changes = [changed_keys(older, newer) for newer, older in pairwise(states)]
    rows: list[tuple[Any, ...]] = [
        (*_about(state), state.held_back, changed, lost_outputs(project, state))
        for state, changed in zip(states, [*changes, []], strict=False)  # none of none
    ]
    columns = ("state", "made_at", "index_version", "score", "held_back", "changed", "lost")
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    elif rows:
        shown = [(*row[:4], "yes" if row[4] else "", _few(row[5]), ", ".join(row[6])) for row in rows]
        print_table("", columns, shown)
    else:
        say("no state has been kept yet; 'kohaku refresh' keeps one when it has answered and scored")


def _few(names: list[str]) -> str:
    more = f" and {len(names) - MOST_CHANGES} more" if len(names) > MOST_CHANGES else ""
    return ", ".join(names[:MOST_CHANGES]) + more


def _about(state: PastState) -> tuple[Any, ...]:
    return (state.id, state.made_at[:19], state.index_version, (state.metrics or {}).get("wattbot/ensemble/score"))
