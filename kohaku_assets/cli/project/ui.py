"""`kohaku ui`: open the pages of Dagster on this project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import FAILED_RUN, verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("ui")
@click.option("--port", type=click.IntRange(1, 65_535), help="Port of the pages; else 3000 or the next one free.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at; there is no login.")
@verb("kohaku ui --port 3000")
@with_settings
def ui_command(project: Project, port: int | None, host: str) -> None:
    """Open the project in Dagster: assets, what is out of date, runs, schedules. Ctrl-C ends it."""
    from kohaku_assets.operations.ui_server import UI_PORT, first_free_port, serve_ui

    port = port or first_free_port(host, UI_PORT)
    code = serve_ui(project, host, port, lambda url: say(f"{project.home} is at {url}; Ctrl-C ends it"))
    if code:
        say(f"kohaku: Dagster ended by itself (exit code {code}); its messages stand above")
        raise click.exceptions.Exit(FAILED_RUN)
