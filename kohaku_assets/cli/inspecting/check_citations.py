"""`kohaku check-citations`: check ids, addresses and quotes of all that is cited."""

from __future__ import annotations

import sys
from dataclasses import asdict, astuple
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table
from kohaku_assets.cli.shared.verb import FAILED_RUN, verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


MAX_FAULTS = 20  # listed individually


@click.command("check-citations")
@click.argument("answers", default="now")
@verb("kohaku check-citations")
@json_option
@with_settings
def check_citations_command(project: Project, answers: str, as_json: bool) -> None:
    """Check the ids, citations and addresses of the documents, and the citations and quotes of ANSWERS.

    ANSWERS is any source accepted by 'kohaku compare'; the current answers by default. Exits with 1 on any violation.
    """
    from kohaku_assets.operations.inspection import check_citations
    from kohaku_lib.evaluation.citation_check import RULES

    faults = check_citations(project, answers)
    if as_json:
        print_json([asdict(fault) for fault in faults])
    else:
        rows = [(rule, meaning, sum(fault.rule == rule for fault in faults)) for rule, meaning in RULES.items()]
        print_table("", ("rule", "", "violations"), rows)
        if faults:
            limit_note = f", of which {MAX_FAULTS} are shown" if len(faults) > MAX_FAULTS else ""
            title = f"{len(faults)} faults{limit_note}"
            print_table(title, ("rule", "of", "how"), [astuple(fault) for fault in faults[:MAX_FAULTS]])
    if faults:
        sys.exit(FAILED_RUN)
