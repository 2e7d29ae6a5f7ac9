"""`kohaku backup`: back up the store into a folder or a bucket."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import FAILED_RUN, verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("backup")
@click.argument("url", required=False)
@click.option("--list", "list_only", is_flag=True, help="Only list the backups.")
@click.option("--check", "check_only", is_flag=True, help="Only read a backup again; exits with 1 if it is damaged.")
@click.option("--backup", "backup_id", metavar="ID", help="The backup to check; the newest by default.")
@verb("kohaku backup backups")
@json_option
@with_settings
def backup_command(
    project: Project, url: str | None, list_only: bool, check_only: bool, backup_id: str | None, as_json: bool
) -> None:
    """Back up the store to URL, a folder or a bucket (s3://...); backup.url by default.

    Only what is new is copied. A refresh may run meanwhile: the backup holds a state in which all outputs agree.
    Documents and kohaku.toml are not part of the store.
    """
    from kohaku_assets.operations.backups import check_backup, list_backups
    from kohaku_assets.records.backups import backup_project, open_backups

    if list_only:
        rows = [(one.id, len(one.files), one.bytes) for one in list_backups(open_backups(project, url))]
        if as_json:
            print_json([dict(zip(("id", "files", "bytes"), row, strict=True)) for row in rows])
        else:
            print_table("", ("backup", "files", "bytes"), rows)
        return
    if check_only:
        damaged = check_backup(open_backups(project, url), backup_id)
        if as_json:
            print_json(damaged)
        say(f"damaged: {', '.join(damaged)}" if damaged else "the backup is intact")
        if damaged:
            sys.exit(FAILED_RUN)
        return
    report = backup_project(project, url)
    if as_json:
        print_json({"id": report.backup.id, "new_files": report.new_files, "new_bytes": report.new_bytes})
    say(report.text)
