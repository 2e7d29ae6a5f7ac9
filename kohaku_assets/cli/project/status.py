"""`kohaku status`: list the assets that are out of date, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.pin_notice import say_if_pinned
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("status")
@click.option("--all", "show_all", is_flag=True, help="List those that are up to date too.")
@click.option("--rehash", is_flag=True, help="Read all documents again, even if their size and times are unchanged.")
@verb("kohaku status --all")
@json_option
@with_settings
def status_command(project: Project, show_all: bool, rehash: bool, as_json: bool) -> None:
    """List the steps of the pipeline that are out of date or missing, and why; computes nothing."""
    project = replace(project, rehash=rehash, known_only=True)
    statuses = project.statuses()
    for warning in project.user_files.warnings:
        say(warning)
    if as_json:
        listed_statuses = statuses if show_all else [status for status in statuses if status.status != "fresh"]
        print_json([{"asset": s.asset, "status": s.status, "causes": list(s.causes)} for s in listed_statuses])
        return
    rows = [(s.asset, s.status, "; ".join(s.causes)) for s in statuses if show_all or s.status != "fresh"]
    if rows:
        print_table("", ("asset", "status", "why"), rows)
    outdated = sum(status.status != "fresh" for status in statuses)
    are = "is" if outdated == 1 else "are"
    all_fresh = f"all {len(statuses)} assets are up to date"
    say(f"{outdated} of {len(statuses)} assets {are} out of date" if outdated else all_fresh)
    say_if_pinned(project)
