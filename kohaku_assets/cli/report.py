"""The verb that shows people what went wrong: report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.common import PATH, print_table, say, verb, with_settings
from kohaku_lib.errors import InputFileError

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.evaluation.report import Answers


@click.command("report")
@click.argument("runs", type=PATH, nargs=-1)
@click.option("--truth", type=PATH, help="CSV with the true answers; corpus.questions by default.")
@click.option(
    "--contexts", type=PATH, help="What kohaku retrieve wrote for the questions; traces losses to the retrieval."
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
    """Write what went wrong with RUNS, files of answers to the same questions, as one HTML page and as Markdown.

    Several RUNS are judged by their vote, and compared. Without RUNS it is about the project's present answers. The
    page has scores with intervals, error classes, kinds of question, the runs side by side, how sure the answers
    are, which of them are better left blank where a blank costs report.blank_cost of a wrong answer, and every
    wrong question. A column cost_usd in a run says what its answers cost.
    """
    from kohaku_assets.records.error_reports import report_folder, write_report_files
    from kohaku_lib.evaluation.report import gather_facts
    from kohaku_lib.evaluation.report.error_text import SCORE_COLUMNS, confidence_sentences, score_rows_of

    answers = _answers(project, runs, truth, contexts)
    facts = gather_facts(answers, project.settings.report.blank_cost)
    if facts is None:
        msg = "a report needs questions with true answers, but there are none; fill answer_value, or name a --truth"
        raise InputFileError(msg)
    page, text = write_report_files(facts, out or report_folder(project))
    print_table("", SCORE_COLUMNS, score_rows_of(facts))
    for sentence in confidence_sentences(facts):
        say(sentence)
    say(f"{len(facts.wrong)} of {facts.asked} questions not fully right, in value or reference → {page} and {text}")


def _answers(project: Project, runs: tuple[Path, ...], truth: Path | None, contexts: Path | None) -> Answers:
    from kohaku_assets.records.error_reports import present_answers
    from kohaku_lib.evaluation.report import recorded_answers

    if not runs:
        if truth or contexts:
            msg = "--truth and --contexts belong to files of answers; name RUNS, or leave both out"
            raise InputFileError(msg)
        return present_answers(project)
    path = truth or project.settings.corpus.questions
    if path is None:
        msg = (
            "Answers are judged by true ones, but there are none; name a CSV file with --truth or in corpus.questions."
        )
        raise InputFileError(msg)
    answers, problems = recorded_answers(runs, path, contexts, project.settings.ensemble)
    for problem in problems:
        say(problem)
    return answers
