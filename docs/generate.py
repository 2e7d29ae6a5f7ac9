"""Write the pages of PAGES from the code, so that they cannot drift; for `make docs`."""

from __future__ import annotations

from pathlib import Path

import click
from api_page import api_page
from architecture import architecture_page, library_picture, platform_picture
from http_page import http_page
from pictures import pipeline_picture, tree_picture
from profiles_page import profiles_page
from settings_page import settings_page
from sources_page import sources_page
from tables_page import tables_page

from kohaku_assets.cli import VERBS, main

DOCS = Path(__file__).parent


def cli_page() -> str:
    """Return the reference of the command line: the help of every verb."""
    parts = ["# The command line\n", "Generated from `--help` by `make docs`.\n", _help(root())]
    for name in VERBS.names():
        command = main.get_command(root(), name)
        assert command is not None
        context = click.Context(command, parent=root(), info_name=name)
        parts += [f"\n## kohaku {name}\n", _help(context)]
        for own_name, own in (command.commands if isinstance(command, click.Group) else {}).items():
            parts += [
                f"\n### kohaku {name} {own_name}\n",
                _help(click.Context(own, parent=context, info_name=own_name)),
            ]
    return "\n".join(parts) + "\n"


def root() -> click.Context:
    """Return the context in which the verbs run, so that they show the same options as on the command line."""
    return main.make_context("kohaku", [], resilient_parsing=True, terminal_width=100)


def _help(context: click.Context) -> str:
    return f"```\n{context.command.get_help(context)}\n```"


PAGES = {
    "cli.md": cli_page,
    "settings.md": settings_page,
    "profiles.md": profiles_page,
    "sources.md": sources_page,
    "architecture.md": architecture_page,
    "tables.md": tables_page,
    "api.md": api_page,
    "http.md": http_page,
    "images/library.svg": library_picture,
    "images/platform.svg": platform_picture,
    "images/pipeline.svg": pipeline_picture,
    "images/tree.svg": tree_picture,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
