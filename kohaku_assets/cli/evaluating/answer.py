"""`kohaku answer`: write an answer for each question."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import PATH, with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import FAILED_RUN, finish, verb

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
@click.option("--processes", is_flag=True, help="Answer each run of --runs in a process of its own, one after another.")
@verb("kohaku answer --questions data/sample/questions.csv --out answers.csv", resumes=True)
@with_settings
def answer_command(project: Project, questions: Path, out: Path, runs: int | None, processes: bool) -> None:
    """Write one answer per question in WattBot's columns, in the order of the questions."""
    if processes:
        if runs is None:
            msg = "--processes answers the runs of --runs one by one, so give --runs as well; without both there is one vote"
            raise click.UsageError(msg)
        _answer_in_processes(project, questions, _run_paths(out, runs))
        return
    from kohaku_assets.operations.question_files import answer_file

    tables, report = answer_file(project, questions, runs)
    paths = _run_paths(out, len(tables))
    from kohaku_lib.evaluation import write_csv

    for table, path in zip(tables, paths, strict=True):
        write_csv(table, path, escape_formulas=project.settings.submission.escape_formulas)
        say(f"{table.num_rows} answers → {path}")
    finish(report, "")


def _run_paths(out: Path, runs: int) -> list[Path]:
    return [out] if runs == 1 else [out.with_suffix(f".{run}{out.suffix}") for run in range(1, runs + 1)]


def _answer_in_processes(project: Project, questions: Path, paths: Sequence[Path]) -> None:
    """Answer once per path, each time in a new process and with the next seed; one that fails does not stop the others.

    Run i has the seed of run i within one process, so that both call a model alike.
    """
    from kohaku_assets.operations.own_command import own_command

    failed = []
    for run, path in enumerate(paths):
        arguments = ("answer", "--questions", str(questions), "--out", str(path), "--runs", "1")
        seed = f"answer.seed={project.settings.answer.seed + run}"
        if subprocess.run(own_command(project, *arguments, overrides=[seed]), check=False).returncode:  # noqa: S603 - ours
            failed.append(str(path))
    if failed:
        say(f"{len(failed)} of {len(paths)} runs are incomplete: {', '.join(failed)}; their messages are above")
        sys.exit(FAILED_RUN)
