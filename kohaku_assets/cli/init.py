"""`kohaku init`: make a new project folder."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.common import PATH, checks_settings, own_name, say, verb

if TYPE_CHECKING:
    pass


@click.command("init")
@click.argument("folder", type=PATH)
@verb("kohaku init my-project")
@checks_settings
def init_command(folder: Path) -> None:
    """Create a project folder: kohaku.toml, data/, dagster_home/ and workspace.yaml."""
    from kohaku_assets.operations.scaffold import make_project

    for path in make_project(folder):
        say(f"created {path}")
    say(
        f"put documents into {folder / 'data' / 'documents'}, then: cd {shlex.quote(str(folder))} && {own_name()} refresh"
    )
