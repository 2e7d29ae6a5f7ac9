"""The verb snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.common import json_option, print_json, print_table, say, verb, with_settings

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("snapshots")
@click.option("--publish", metavar="VERSION", help="Make this version the current one.")
@click.option("--roll-back", is_flag=True, help="Make the version published before current again.")
@verb("kohaku snapshots")
@json_option
@with_settings
def snapshots_command(project: Project, publish: str | None, roll_back: bool, as_json: bool) -> None:
    """List the index versions of the store, newest first; publish one, or go back to the one before."""
    from kohaku_lib.index.snapshots import versions as snapshots
    from kohaku_lib.storage import store_lock

    if publish and roll_back:
        msg = "--publish and --roll-back exclude each other; give one of them"
        raise click.UsageError(msg)
    if publish or roll_back:
        with store_lock(project.store):
            before = snapshots.current_version(project.snapshots)
            if publish:
                snapshots.publish(project.snapshots, publish)
            version = publish or snapshots.roll_back(project.snapshots)
            project.write_views()
        left = f"; no refresh publishes {before} again before another one, '--publish {before}' does"
        say(f"published {version}" if publish else f"rolled back to {version}{left}")
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
