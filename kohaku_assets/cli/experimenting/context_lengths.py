"""`kohaku context-lengths`: compare the length of contexts by snippet deduplication."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import PATH, json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project

MODES = ("none", "node_id", "tree")


@click.command("context-lengths")
@click.option("--questions", type=PATH, help="CSV with the questions; corpus.questions by default.")
@click.option("--tokenizer", default="minilm", show_default=True, help="Model whose tokens are counted.")
@verb("kohaku context-lengths --set retrieval.context_tokens=1000000", resumes=True)
@json_option
@with_settings
def context_lengths_command(project: Project, questions: Path | None, tokenizer: str, as_json: bool) -> None:
    """Retrieve the context of each question once per mode of retrieval.snippet_dedup, and print how long they are.

    No language model answers. Repeated characters are those of snippets that an earlier one of the same context contains.
    """
    from kohaku_assets.operations.context_lengths import measure_contexts

    lengths = measure_contexts(project, questions, tokenizer, MODES)
    if as_json:
        print_json({mode: asdict(length) for mode, length in lengths.items()})
        return
    columns = (
        "snippet_dedup",
        "questions",
        "matches",
        "snippets",
        "characters",
        "repeated",
        "tokens",
        "longest, tokens",
    )
    rows = [(mode, *(_shown(value) for value in asdict(length).values())) for mode, length in lengths.items()]
    print_table("means over questions", columns, rows)


def _shown(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
