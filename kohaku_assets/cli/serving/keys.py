"""`kohaku keys`: the keys of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import emit, print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from datetime import datetime

    from kohaku_assets.pipeline.project import Project


_HELP = """Add, list, revoke and confirm the keys of 'kohaku serve'. Until the first is added, this machine needs none; from
then on every caller needs one, also when all are revoked.

Example:

\b
  kohaku keys list
"""


@click.group("keys", help=_HELP)
def keys_command() -> None:
    """Do what the name of the subcommand says."""


@keys_command.command("add")
@click.argument("name")
@click.option("--org", help="The organisation whose documents the key reads; corpus.org_id by default.")
@click.option(
    "--role",
    type=click.Choice(("reader", "editor", "admin")),
    default="reader",
    show_default=True,
    help="reader: ask; editor: documents too; admin: settings, keys and index versions too.",
)
@verb("kohaku keys add wiki --role reader")
@with_settings
def add_command(project: Project, name: str, org: str | None, role: str) -> None:
    """Add the key NAME and print it; it is shown once and stored as a digest."""
    from kohaku_assets.server.access.keys import open_keys

    with open_keys(project.store, project.settings.assistant.database) as keys:
        emit(keys.add(name, org or project.settings.corpus.org_id, role))
    say("the key is shown once; keep it where only its user reads it")


@keys_command.command("list")
@verb("kohaku keys list")
@json_option
@with_settings
def list_command(project: Project, as_json: bool) -> None:
    """List all keys, without their secrets."""
    from kohaku_assets.server.access.keys import MOMENTS, open_keys

    with open_keys(project.store, project.settings.assistant.database) as keys:
        found = keys.rows()
    rows = [
        {
            **{name: getattr(row, name) for name in ("key_id", "name", "org_id", "role")},
            **{name: _shown(getattr(row, name)) for name in MOMENTS},
        }
        for row in found
    ]
    if as_json:
        print_json(rows)
        return
    columns = ("id", "name", "organisation", "role", "created", "last used", "revoked", "unconfirmed since")
    print_table("", columns, [tuple(row.values()) for row in rows])


@keys_command.command("revoke")
@click.argument("name")
@click.option("--org", help="The organisation whose key it is, where several have one of that name.")
@verb("kohaku keys revoke wiki")
@with_settings
def revoke_command(project: Project, name: str, org: str | None) -> None:
    """Revoke the key of that NAME or id; its next request is refused."""
    from kohaku_assets.server.access.keys import open_keys

    with open_keys(project.store, project.settings.assistant.database) as keys:
        for row in keys.revoke(name, org):
            say(f"revoked {row.name} ({row.key_id}) of {row.org_id}")


@keys_command.command("confirm")
@click.argument("name", required=False)
@click.option("--org", help="The organisation whose key it is, where several have one of that name.")
@click.option("--all", "is_all", is_flag=True, help="Confirm all keys that are off since a restore.")
@verb("kohaku keys confirm wiki")
@with_settings
def confirm_command(project: Project, name: str | None, org: str | None, is_all: bool) -> None:
    """Let in the key of that NAME or id, which a restore turned off."""
    from kohaku_assets.server.access.keys import open_keys

    if (name is None) != is_all:
        msg = "name one key to confirm, or give --all; 'kohaku keys list' shows them"
        raise click.UsageError(msg)
    with open_keys(project.store, project.settings.assistant.database) as keys:
        for row in keys.confirm(name, org):
            say(f"{row.name} ({row.key_id}) of {row.org_id} is let in")


def _shown(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")
