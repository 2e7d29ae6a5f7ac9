"""`kohaku stats`: count what the index holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("stats")
@verb("kohaku stats")
@json_option
@with_settings
def stats_command(project: Project, as_json: bool) -> None:
    """Count the documents, nodes and vectors of the published index."""
    from kohaku_assets.operations.summaries import document_counts, index_counts
    from kohaku_lib.project import open_published_index

    snapshot = open_published_index(project.store)
    org_id = project.settings.corpus.org_id
    totals, documents = index_counts(snapshot, org_id), document_counts(snapshot, org_id)
    if as_json:
        print_json({"index_version": snapshot.version, "totals": totals, "documents": documents})
        return
    print_table(f"index {snapshot.version}", ("what", "count"), totals.items())
    print_table(
        "documents", ("document", "sections", "paragraphs", "sentences"), [tuple(d.values()) for d in documents]
    )
