"""`kohaku doctor`: find damaged files of the store and mend them."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import FAILED_RUN, verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("doctor")
@click.option("--check", "check_only", is_flag=True, help="Only check; exits with 1 if anything is damaged.")
@verb("kohaku doctor --check")
@json_option
@with_settings
def doctor_command(project: Project, check_only: bool, as_json: bool) -> None:
    """Read every file of the store, quarantine damaged ones and recompute them; exits with 1 if some damage remains.

    With bucket.url its newest state is read, too, and what is damaged there is uploaded again if it is here. Postgres
    databases are asked whether they answer.

    Damaged files are moved to the folder 'damaged' of the store. The readable calls of a damaged ledger remain in use,
    so that none of them is paid for twice.
    """
    from kohaku_assets.operations.doctor.examine import examine

    findings = examine(project, mend=not check_only)
    if as_json:
        print_json([asdict(one) for one in findings])
    elif findings:
        print_table("", ("what", "is wrong", "done"), [(one.path, one.wrong, one.done) for one in findings])
    remaining = sum(one.remains for one in findings)
    if not findings:
        say("nothing is damaged")
    elif check_only:
        say(f"{len(findings)} damaged; run 'kohaku doctor'")
    elif remaining:
        say(f"{remaining} of {len(findings)} could not be repaired")
    if remaining:
        sys.exit(FAILED_RUN)
