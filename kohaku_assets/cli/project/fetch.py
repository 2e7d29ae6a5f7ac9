"""`kohaku fetch`: download the documents whose addresses are in metadata.csv."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.documents import FetchOutcome


@click.command("fetch")
@click.option("--force", is_flag=True, help="Fetch again what was fetched before; your own files are not changed.")
@click.option(
    "--limit", type=click.IntRange(min=0), default=0, help="Stop once this many documents are available; 0 fetches all."
)
@verb("kohaku fetch --limit 5")
@json_option
@with_settings
def fetch_command(project: Project, force: bool, limit: int, as_json: bool) -> None:
    """Fetch the PDFs in the url column of the metadata into the documents folder.

    Existing files are not fetched again. A failed row does not stop the others, and an interrupted run resumes where it
    stopped.
    """
    from kohaku_assets.operations.fetching import fetch

    outcomes, problems = fetch(project, force, limit, _say_outcome)
    for problem in problems:
        say(problem)
    rows = [_outcome_row(outcome) for outcome in outcomes]
    if as_json:
        print_json(rows)
    else:
        print_table(
            "", ("id", "outcome", "reason", "bytes"), [(r["id"], r["outcome"], r["reason"], r["bytes"]) for r in rows]
        )
    counts = Counter(outcome.outcome for outcome in outcomes)
    say(", ".join(f"{counts[name]} {name}" for name in ("fetched", "cached", "skipped", "failed")))


def _say_outcome(outcome: FetchOutcome) -> None:
    if outcome.outcome != "cached":
        say(f"{outcome.id}: {outcome.outcome}{f' ({outcome.reason})' if outcome.reason else ''}")


def _outcome_row(outcome: FetchOutcome) -> dict[str, Any]:
    from kohaku_lib.masking import masked_url

    return {
        "id": outcome.id,
        "outcome": outcome.outcome,
        "reason": outcome.reason,
        "url": masked_url(outcome.url),
        "path": str(outcome.path) if outcome.path else None,
        "bytes": outcome.bytes,
        "sha256": outcome.sha256,
    }
