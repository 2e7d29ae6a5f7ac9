"""`kohaku serve`: the page, the HTTP API and the protocols over the published index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("serve")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen at; any but this machine's own needs keys.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8321,
    show_default=True,
    help="Port to listen at; 0 takes a free one.",
)
@verb("kohaku serve --port 0")
@with_settings
def serve_command(project: Project, host: str, port: int) -> None:
    """Serve the page, the HTTP API, the OpenAI protocol and MCP over the published index. Ctrl-C ends it."""
    from kohaku_assets.server.serving import serve

    serve(project, host, port, lambda address: say(f"serving on {address}"))
