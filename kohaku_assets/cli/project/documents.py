"""`kohaku documents`: list every document: parsed, pending, failed or left out, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("documents")
@verb("kohaku documents")
@json_option
@with_settings
def documents_command(project: Project, as_json: bool) -> None:
    """List every file and metadata row: parsed, pending, failed or skipped, and why."""
    from kohaku_assets.operations.fetching import states
    from kohaku_lib.documents import count_states

    documents = states(project)
    if as_json:
        print_json([{name: getattr(state, name) for name in state.__slots__} for state in documents])
        return
    rows = [(s.path or s.document_id, s.document_id, s.status, s.pages, s.language, s.reason) for s in documents]
    print_table("", ("file", "document", "status", "pages", "language", "reason"), rows)
    say(
        ", ".join(f"{number} {status}" for status, number in count_states(documents).items())
        or "there are no documents"
    )
