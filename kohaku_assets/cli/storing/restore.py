"""`kohaku restore`: restore the store from a backup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("restore")
@click.argument("url", required=False)
@click.option("--backup", "backup_id", metavar="ID", help="The backup to restore; the newest by default.")
@click.option("--replace", is_flag=True, help="Replace a store that is not empty; only what differs is fetched.")
@verb("kohaku backup backups\n      kohaku restore backups --replace")
@with_settings
def restore_command(project: Project, url: str | None, backup_id: str | None, replace: bool) -> None:
    """Restore the store from a backup at URL, a folder or a bucket; backup.url by default.

    Every file is compared with its hash. The store is the old or the restored one, never a mixture. It is refused while a
    server or an assistant has the store open. Keys that were revoked stay revoked; keys that only the backup or only the
    store in place knows are off until 'kohaku keys confirm' lets them in.
    """
    from kohaku_assets.operations.backups import restore_project

    done = restore_project(project, url, backup_id, replace=replace)
    say(f"restored {len(done.backup.files)} files of backup {done.backup.id} ({done.fetched_bytes:,} bytes fetched)")
    if done.unconfirmed:
        names = ", ".join(done.unconfirmed)
        say(f"these keys are off until 'kohaku keys confirm NAME' lets them in: {names}")
