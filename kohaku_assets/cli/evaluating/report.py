"""`kohaku report`: write what went wrong with answers as a page with pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import PATH, with_settings
from kohaku_assets.cli.shared.output import print_table, say
from kohaku_assets.cli.shared.verb import verb
from kohaku_lib.errors import InputFileError

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.evaluation.report import Answers


@click.command("report")
@click.argument("runs", type=PATH, nargs=-1)
@click.option("--truth", type=PATH, help="CSV with the true answers; corpus.questions by default.")
@click.option(
    "--contexts", type=PATH, help="Output of 'kohaku retrieve' for the questions; attributes errors to the retrieval."
)
@click.option("--out", type=PATH, help="Folder to write to; reports in the store by default.")
@verb(
    "kohaku answer --questions data/sample/questions.csv --out run.csv --runs 2\n"
    "      kohaku report run.1.csv run.2.csv --truth data/sample/questions.csv --out report"
)
@with_settings
def report_command(
    project: Project, runs: tuple[Path, ...], truth: Path | None, contexts: Path | None, out: Path | None
) -> None:
    """Write the error report on RUNS, files of answers to the same questions, as an HTML page and as Markdown.

    Several RUNS are scored by their vote, and compared. Without RUNS the report covers the project's current answers.
    The page has scores with intervals, error classes, kinds of question, a comparison of the runs, the calibration of
    the confidence, which answers are better left blank if a blank costs report.blank_cost of a wrong answer, and every
    wrong question. An optional column cost_usd in a run is the cost of its answers.
    """
    from kohaku_assets.records.error_reports import report_folder, write_report_files
    from kohaku_lib.evaluation.report import gather_facts
    from kohaku_lib.evaluation.report.error_text import (
        SCORE_COLUMNS,
        confidence_sentences,
        score_rows_of,
        score_warnings,
    )

    answers = _read_answers(project, runs, truth, contexts)
    facts = gather_facts(answers, project.settings.report.blank_cost)
    if facts is None:
        msg = "a report needs questions with true answers, but there are none; fill answer_value, or give --truth"
        raise InputFileError(msg)
    page, text = write_report_files(facts, out or report_folder(project))
    print_table("", SCORE_COLUMNS, score_rows_of(facts))
    for sentence in (*score_warnings(facts), *confidence_sentences(facts)):
        say(sentence)
    say(
        f"{len(facts.wrong)} of {facts.questions} questions not fully correct, in value or reference → {page} and {text}"
    )


def _read_answers(project: Project, runs: tuple[Path, ...], truth: Path | None, contexts: Path | None) -> Answers:
    from kohaku_assets.records.error_reports import present_answers
    from kohaku_lib.evaluation.report import recorded_answers

    if not runs:
        if truth or contexts:
            msg = "--truth and --contexts require RUNS; give RUNS, or omit both"
            raise InputFileError(msg)
        return present_answers(project)
    path = truth or project.settings.corpus.questions
    if path is None:
        msg = "Answers are scored against true ones, but there are none; give a CSV file with --truth or in corpus.questions."
        raise InputFileError(msg)
    answers, problems = recorded_answers(runs, path, contexts, project.settings.ensemble)
    for problem in problems:
        say(problem)
    return answers
