"""`kohaku snapshots`: list index versions, publish one or roll back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.pin_notice import say_if_pinned
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("snapshots")
@click.option("--publish", metavar="VERSION", help="Publish this version.")
@click.option("--roll-back", is_flag=True, help="Publish the previous version again, and pin it.")
@click.option("--unpin", is_flag=True, help="Publish the newest version again; the next refresh publishes as usual.")
@click.option("--fetch", is_flag=True, help="Fetch the index published in bucket.url first; servers here follow it.")
@verb("kohaku snapshots")
@json_option
@with_settings
def snapshots_command(
    project: Project, publish: str | None, roll_back: bool, unpin: bool, fetch: bool, as_json: bool
) -> None:
    """List the index versions of the store, newest first; publish one, or roll back to the previous one.

    An older version is pinned: it stays published, whatever is refreshed, until --unpin or --publish of the newest.
    """
    from kohaku_lib.index import pinned
    from kohaku_lib.index.snapshots import versions as snapshots

    if sum((bool(publish), roll_back, unpin)) > 1:
        msg = "--publish, --roll-back and --unpin are mutually exclusive; give one of them"
        raise click.UsageError(msg)
    if fetch:
        _fetch(project)
    if publish or roll_back or unpin:
        from kohaku_assets.operations.publishing import change_publication

        say(f"published {change_publication(project, publish, unpin=unpin)}")
        say_if_pinned(project)
    infos = snapshots.list_snapshots(project.snapshots)
    is_pinned = pinned(project.snapshots) is not None
    state = "current, pinned" if is_pinned else "current"
    if as_json:
        print_json(
            [
                {
                    "version": i.version,
                    "built_at": i.built_at,
                    "rows": i.rows,
                    "bytes": i.bytes,
                    "current": i.is_current,
                    "pinned": i.is_current and is_pinned,
                }
                for i in infos
            ]
        )
        return
    rows = [(i.version, state if i.is_current else "", i.built_at, i.rows, f"{i.bytes / 1e6:.1f} MB") for i in infos]
    print_table("", ("version", "", "built", "rows", "size"), rows)


def _fetch(project: Project) -> None:
    from kohaku_lib.errors import SettingsError
    from kohaku_lib.project import fetch_published_index

    if project.settings.bucket.url is None:
        msg = "there is no bucket to fetch from; set bucket.url"
        raise SettingsError(msg)
    say("fetched" if fetch_published_index(project.settings) else "nothing newer is in the bucket")
