"""`kohaku init`: make a new project folder."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import click

from kohaku_assets.cli.shared.options import PATH, checks_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import verb


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
        f"put documents into {folder / 'data' / 'documents'}, then: cd {shlex.quote(str(folder))} && {_own_name()} refresh"
    )


def _own_name() -> str:
    """Return the command for a shell: the path of the script if its environment is not activated."""
    script, on_path = Path(sys.executable).with_name("kohaku"), shutil.which("kohaku")
    is_on_path = on_path is not None and Path(on_path).absolute() == script
    return "kohaku" if is_on_path or not script.exists() else shlex.quote(str(script))
