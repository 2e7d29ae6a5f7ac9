"""`kohaku review`: review questions that users asked; accepted answers test the next index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import emit, print_json, say
from kohaku_assets.cli.shared.terminal import one_line
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project

ID_CHARS = 8  # of an answer's id, shown


@click.command("review")
@click.option("--accept", "accepted", metavar="ID", help="Accept the answer, or what a user said is right, as truth.")
@click.option("--value", help="The right value, where the answer has another one.")
@click.option("--unit", help="Its unit; read from the value by default.")
@click.option("--source", "sources", multiple=True, help="The id of a document that says so; repeatable.")
@click.option("--question", help="The question in better words.")
@click.option("--dismiss", "dismissed", metavar="ID", help="Take the question off the queue.")
@verb("kohaku review")
@json_option
@with_settings
def review_command(
    project: Project,
    accepted: str | None,
    dismissed: str | None,
    as_json: bool,
    **truth: Any,
) -> None:
    """List the questions to review, the most urgent first; accept one with its right answer, or dismiss it.

    Accepted questions are kept in accepted_questions.csv beside kohaku.toml; from the next refresh on they are asked and
    scored with corpus.questions. ID is the beginning of an answer's id.
    """
    from kohaku_assets.operations.reviewing import Truth, accept, dismiss
    from kohaku_assets.records.usage_tables import usage_table

    if accepted is not None:
        from kohaku_assets.assets.usage_assets import report_accepted

        row = accept(project, accepted, Truth(**truth))
        say(f"accepted: {one_line(row['question'])} {row['answer_value']} {row['answer_unit']} {row['ref_id']}")
        report_accepted(project)
    if dismissed is not None:
        dismiss(project, dismissed)
        say("dismissed")
    if accepted is not None or dismissed is not None:
        return
    rows = usage_table(project, "review_queue").to_pylist()
    if as_json:
        print_json(rows)
        return
    for row in rows:
        asked = f", asked {row['asked']} times" if row["asked"] > 1 else ""
        emit(f"{row['answer_id'][:ID_CHARS]}  {', '.join(row['reasons'])}{asked}: {one_line(row['question'])}")
        emit(f"          {one_line(row['correction'] or row['answer'])} ({', '.join(row['sources']) or 'no source'})")
    say(f"{len(rows)} questions to review" if rows else "there are no questions to review")
