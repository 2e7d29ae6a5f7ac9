"""`kohaku snapshots`: list index versions, publish one or roll back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("snapshots")
@click.option("--publish", metavar="VERSION", help="Publish this version.")
@click.option("--roll-back", is_flag=True, help="Publish the previous version again.")
@verb("kohaku snapshots")
@json_option
@with_settings
def snapshots_command(project: Project, publish: str | None, roll_back: bool, as_json: bool) -> None:
    """List the index versions of the store, newest first; publish one, or roll back to the previous one."""
    from kohaku_lib.index.snapshots import versions as snapshots
    from kohaku_lib.storage import store_lock

    if publish and roll_back:
        msg = "--publish and --roll-back are mutually exclusive; give one of them"
        raise click.UsageError(msg)
    if publish or roll_back:
        with store_lock(project.store):
            before = snapshots.current_version(project.snapshots)
            if publish:
                snapshots.publish(project.snapshots, publish)
            version = publish or snapshots.roll_back(project.snapshots)
            project.write_views()
        notice = f"; a refresh does not publish {before} again, '--publish {before}' does"
        say(f"published {version}" if publish else f"rolled back to {version}{notice}")
    infos = snapshots.list_snapshots(project.snapshots)
    if as_json:
        print_json(
            [
                {
                    "version": i.version,
                    "built_at": i.built_at,
                    "rows": i.rows,
                    "bytes": i.bytes,
                    "current": i.is_current,
                }
                for i in infos
            ]
        )
        return
    rows = [
        (i.version, "current" if i.is_current else "", i.built_at, i.rows, f"{i.bytes / 1e6:.1f} MB") for i in infos
    ]
    print_table("", ("version", "", "built", "rows", "size"), rows)
