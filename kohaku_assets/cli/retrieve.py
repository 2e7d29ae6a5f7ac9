"""`kohaku retrieve`: write the ranked nodes and the context of each question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import PATH, with_settings
from kohaku_assets.cli.shared.terminal import json_text
from kohaku_assets.cli.shared.verb import finish, verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("retrieve")
@click.option("--questions", type=PATH, required=True, help="CSV with id and question.")
@click.option("--out", type=PATH, required=True, help="JSON lines to write.")
@verb("kohaku retrieve --questions data/sample/questions.csv --out contexts.jsonl")
@with_settings
def retrieve_command(project: Project, questions: Path, out: Path) -> None:
    """Write the queries, the ranked nodes and the snippets of the prompt for each question."""
    from kohaku_assets.operations.question_files import retrieve_file
    from kohaku_lib.storage import write_atomically

    contexts, report = retrieve_file(project, questions)
    lines = [json_text(context) + "\n" for context in contexts]
    write_atomically(out, lambda path: path.write_text("".join(lines), encoding="utf-8"))
    finish(report, f"{len(lines)} questions → {out}")
