"""Verbs over a file of questions: retrieve and answer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.common import FAILED_RUN, say, verb, with_settings
from kohaku_assets.cli.terminal import json_text

if TYPE_CHECKING:
    from kohaku_assets.project import Project
    from kohaku_lib.tables import StageReport

FILE = click.Path(path_type=Path)


@click.command("retrieve")
@click.option("--questions", type=FILE, required=True, help="CSV with id and question.")
@click.option("--out", type=FILE, required=True, help="JSON lines to write.")
@verb("kohaku retrieve --questions data/sample/questions.csv --out contexts.jsonl")
@with_settings
def retrieve_command(project: Project, questions: Path, out: Path) -> None:
    """Write, per question, the queries, all ranked nodes and the snippets that a prompt would hold."""
    from kohaku_assets.serving import retrieve_file
    from kohaku_lib.storage import write_atomically

    contexts, report = retrieve_file(project, questions)
    lines = [json_text(context) + "\n" for context in contexts]
    write_atomically(out, lambda path: path.write_text("".join(lines), encoding="utf-8"))
    _finish(report, f"{len(lines)} questions → {out}")


@click.command("answer")
@click.option("--questions", type=FILE, required=True, help="CSV with id and question.")
@click.option("--out", type=FILE, required=True, help="CSV to write.")
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    help="Answers per question, a file each: OUT.1.csv, OUT.2.csv, …; by default one file, the ensemble's vote.",
)
@verb("kohaku answer --questions data/sample/questions.csv --out answers.csv")
@with_settings
def answer_command(project: Project, questions: Path, out: Path, runs: int | None) -> None:
    """Write an answer per question in WattBot's columns, in the order of the questions."""
    from kohaku_assets.serving import answer_file

    tables, report = answer_file(project, questions, runs)
    paths = [out] if len(tables) == 1 else [out.with_suffix(f".{i}{out.suffix}") for i in range(1, len(tables) + 1)]
    from kohaku_lib.evaluation import write_csv

    for table, path in zip(tables, paths, strict=True):
        write_csv(table, path, escape_formulas=project.settings.submission.escape_formulas)
        say(f"{table.num_rows} answers → {path}")
    _finish(report, "")


def _finish(report: StageReport, text: str) -> None:
    """Tell what went wrong and what was written; what a failing server left open makes a failed run."""
    for problem in report.problems:
        say(problem)
    if text:
        say(text)
    if report.incomplete:
        sys.exit(FAILED_RUN)
