"""The verb that finds and mends damaged files: doctor."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.common import FAILED_RUN, json_option, print_json, print_table, say, verb, with_settings

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("doctor")
@click.option("--check", "only_look", is_flag=True, help="Only look; exits with 1 where anything is damaged.")
@verb("kohaku doctor --check")
@json_option
@with_settings
def doctor_command(project: Project, only_look: bool, as_json: bool) -> None:
    """Read every file of the store, move what is damaged away and compute it again; exits with 1 where some stays.

    Damaged files are saved in the folder 'damaged' of the store. Of a damaged ledger the calls that can be read stay in
    use, so that none of them is paid for twice.
    """
    from kohaku_assets.operations.doctor import examine

    findings = examine(project, mend=not only_look)
    if as_json:
        print_json([asdict(one) for one in findings])
    elif findings:
        print_table("", ("what", "is wrong", "done"), [(one.path, one.wrong, one.done) for one in findings])
    remaining = sum(one.remains for one in findings)
    if not findings:
        say("nothing is damaged")
    elif only_look:
        say(f"{len(findings)} damaged; run 'kohaku doctor'")
    elif remaining:
        say(f"{remaining} of {len(findings)} could not be mended")
    if remaining:
        sys.exit(FAILED_RUN)
