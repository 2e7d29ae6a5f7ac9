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
@click.option("--questions", type=PATH, help="CSV with id and question.")
@click.option("--queries", type=PATH, help='Instead of questions: JSON lines, {"id": …, "queries": […]}, not planned.')
@click.option("--out", type=PATH, required=True, help="JSON lines to write.")
@verb("kohaku retrieve --questions data/sample/questions.csv --out contexts.jsonl", resumes=True)
@with_settings
def retrieve_command(project: Project, questions: Path | None, queries: Path | None, out: Path) -> None:
    """Write the queries, the ranked nodes and the snippets of the prompt for each question.

    With --queries the plan is yours: the first query of each line counts as the question.
    """
    from kohaku_assets.operations.question_files import retrieve_file, retrieve_queries
    from kohaku_lib.errors import InputFileError
    from kohaku_lib.storage import write_atomically

    if questions and not queries:
        contexts, report = retrieve_file(project, questions)
    elif queries and not questions:
        contexts, report = retrieve_queries(project, queries)
    else:
        msg = "give --questions or --queries, and not both"
        raise InputFileError(msg)
    lines = [json_text(context) + "\n" for context in contexts]
    write_atomically(out, lambda path: path.write_text("".join(lines), encoding="utf-8"))
    finish(report, f"{len(lines)} questions → {out}")
