"""`kohaku tokens`: count the tokens of documents and contexts."""

from __future__ import annotations

from dataclasses import asdict, astuple
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("tokens")
@click.option(
    "--tokenizer", metavar="MODEL", help="minilm, a folder with tokenizer.json, or a Hugging Face model name."
)
@verb("kohaku tokens")
@json_option
@with_settings
def tokens_command(project: Project, tokenizer: str | None, as_json: bool) -> None:
    """Count the tokens of the published index by document, and of the contexts of the current answers.

    Uses the tokenizer of the embedding model unless --tokenizer is given.
    """
    from kohaku_assets.operations.inspection import count_tokens

    report = count_tokens(project, tokenizer)
    if as_json:
        print_json(asdict(report))
        return
    rows = [(name, *astuple(count)) for name, count in report.documents.items()]
    rows.append(("all", *astuple(report.corpus)))
    if report.contexts:
        rows.append(("contexts of the questions", *astuple(report.contexts)))
    title = f"tokens of the sentences, by the tokenizer of {report.tokenizer}"
    print_table(title, ("document", "texts", "tokens", "mean", "p95", "longest"), rows)
