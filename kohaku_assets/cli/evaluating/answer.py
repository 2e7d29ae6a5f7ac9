"""`kohaku answer`: write an answer for each question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import PATH, with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import finish, verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("answer")
@click.option("--questions", type=PATH, required=True, help="CSV with id and question.")
@click.option("--out", type=PATH, required=True, help="CSV to write.")
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    help="Number of answers per question, one file each: OUT.1.csv, OUT.2.csv, …; default: one file, the ensemble vote.",
)
@verb("kohaku answer --questions data/sample/questions.csv --out answers.csv")
@with_settings
def answer_command(project: Project, questions: Path, out: Path, runs: int | None) -> None:
    """Write one answer per question in WattBot's columns, in the order of the questions."""
    from kohaku_assets.operations.question_files import answer_file

    tables, report = answer_file(project, questions, runs)
    paths = [out] if len(tables) == 1 else [out.with_suffix(f".{i}{out.suffix}") for i in range(1, len(tables) + 1)]
    from kohaku_lib.evaluation import write_csv

    for table, path in zip(tables, paths, strict=True):
        write_csv(table, path, escape_formulas=project.settings.submission.escape_formulas)
        say(f"{table.num_rows} answers → {path}")
    finish(report, "")
