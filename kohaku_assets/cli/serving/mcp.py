"""`kohaku mcp`: the Model Context Protocol over standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import with_settings
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("mcp")
@verb("kohaku mcp")
@with_settings
def mcp_command(project: Project) -> None:
    """Serve the tools search_knowledge_base, ask, list_documents and get_document to the program that starts this."""
    from kohaku_assets.server.mcp_stdio import serve_stdio

    serve_stdio(project)
