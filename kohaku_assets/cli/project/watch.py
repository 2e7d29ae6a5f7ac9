"""`kohaku watch`: the documents folder kept indexed."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.askable import say_askable
from kohaku_assets.cli.shared.options import with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import FAILED_RUN, verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("watch")
@click.option(
    "--every", "every_s", type=click.FloatRange(min=0.1), default=2.0, show_default=True, help="Seconds between looks."
)
@click.option(
    "--rest",
    "rest_s",
    type=click.FloatRange(min=0.0),
    default=4.0,
    show_default=True,
    help="Seconds without a change after which files are read.",
)
@click.option("--once", is_flag=True, help="End after the first refresh.")
@verb("kohaku watch --once")
@with_settings
def watch_command(project: Project, every_s: float, rest_s: float, once: bool) -> None:
    """Refresh the index now and whenever files of the documents folder change. Ctrl-C ends it.

    While another run writes to the store, it waits and looks again.
    """
    from kohaku_assets.operations.fetching import unread_states
    from kohaku_assets.operations.refresh import refresh
    from kohaku_assets.operations.watching import watch
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.errors import KohakuError
    from kohaku_lib.tables import TO_RETRY

    stop = threading.Event()

    def run() -> bool:
        try:
            current = Project(project.loaded)
            report = refresh(current, ("published_index", "suggested_questions"))
        except KohakuError as error:
            if once:
                raise
            say(f"kohaku: {error}")
            return False
        if report.was_stopped:
            raise KeyboardInterrupt
        if report.failure:
            say(f"kohaku: {report.failure}")
        else:
            say_askable(current, unread_states(current), is_published=True)
        if once:
            stop.set()
            if report.failure:
                sys.exit(FAILED_RUN)
        is_to_retry = any(outcome.manifest.metrics.get(TO_RETRY) for outcome in report.outcomes.values())
        return report.failure is None and not is_to_retry

    try:
        watch(project, run, stop, every_s=every_s, rest_s=rest_s)
    except KeyboardInterrupt:
        say("stopped watching; what is indexed stays")
