"""Verbs over files of answers and documents, without an index: vote, score, parse."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.common import (
    USER_MISTAKE,
    checks_settings,
    emit,
    json_option,
    print_json,
    print_table,
    say,
    verb,
    with_settings,
)
from kohaku_assets.cli.kind_option import KindOption
from kohaku_assets.cli.terminal import json_text
from kohaku_lib.errors import InputFileError
from kohaku_lib.kinds import ANSWER_METRICS, TIE_BREAKS, VOTE_MODES

if TYPE_CHECKING:
    import pyarrow as pa

    from kohaku_assets.project import Project
    from kohaku_lib.tables import StageReport

FILE = click.Path(path_type=Path)


@click.command("vote")
@click.argument("runs", type=FILE, nargs=-1, required=True)
@click.option("--out", type=FILE, required=True, help="CSV to write.")
@click.option(
    "--mode",
    "--ref-mode",
    "ref_mode",
    type=KindOption(VOTE_MODES),
    help="How values and references are voted together.",
)
@click.option("--tie-break", type=KindOption(TIE_BREAKS), help="Who wins among equals.")
@click.option("--ignore-blank/--keep-blank", default=None, help="Whether blank votes count.")
@click.option(
    "--calibrate",
    multiple=True,
    metavar="TRUTH.csv[:RUN.csv]",
    help="Weigh a run by labelled answers of the same member; once per run, in their order. TRUTH.csv alone, once: "
    "the runs themselves answer some of its questions.",
)
@verb(
    "kohaku answer --questions data/sample/questions.csv --out run.csv --runs 3\n"
    "      kohaku vote run.1.csv run.2.csv run.3.csv --out voted.csv"
)
@with_settings
def vote_command(
    project: Project,
    runs: tuple[Path, ...],
    out: Path,
    ref_mode: str | None,
    tie_break: str | None,
    ignore_blank: bool | None,
    calibrate: tuple[str, ...],
) -> None:
    """Join RUNS, files of answers to the same questions, into one: by the highest expected score, or by majority."""
    from kohaku_lib.evaluation import calibrate_files, vote_files, write_csv

    if ref_mode is None and (tie_break is not None or ignore_blank is not None):
        ref_mode = "answer_priority"  # expected_score weighs blanks and ties itself
    given = {"ref_mode": ref_mode, "tie_break": tie_break, "ignore_blank": ignore_blank}
    policy = project.settings.ensemble.model_copy(update={k: v for k, v in given.items() if v is not None})
    calibration = calibrate_files(runs, _pairs(calibrate, runs)) if calibrate else None
    votes, report = vote_files(runs, policy, calibration)
    write_csv(votes, out, escape_formulas=project.settings.submission.escape_formulas)
    for problem in report.problems:
        say(problem)
    _say_members(votes, report)
    say(f"{votes.num_rows} answers from {len(runs)} runs → {out}")


@click.command("score")
@click.option("--truth", type=FILE, required=True, help="CSV with the true answers.")
@click.option("--pred", type=FILE, required=True, help="CSV with the answers to score.")
@click.option(
    "--metric",
    type=KindOption(ANSWER_METRICS),
    default="wattbot",
    show_default=True,
    help="The competition's own, that of KohakuRAG's validator, or that of its later fork.",
)
@verb("kohaku score --truth data/sample/questions.csv --pred data/store/submission.csv")
@json_option
@checks_settings
def score_command(truth: Path, pred: Path, metric: Any, as_json: bool) -> None:
    """Score a file of answers: 0.75 value + 0.15 references + 0.10 abstention."""
    from kohaku_lib.evaluation import read_rows, score_rows

    report = score_rows(read_rows(truth, told=say), read_rows(pred, told=say), metric)
    interval = [report.interval.low, report.interval.high]
    summary = {"metric": report.metric, "n": report.n, "score": report.score, "interval": interval}
    summary |= {"value": report.value, "ref": report.ref, "na": report.na}
    summary |= {"missing": list(report.missing), "extra": list(report.extra)}
    if as_json:
        print_json(summary)
        return
    rows = [(row.id, row.value, row.ref, row.na, row.score) for row in report.rows]
    print_table("", ("id", "value", "ref", "na", "score"), rows)
    emit(", ".join(f"{name} {_plain(value)}" for name, value in summary.items() if value != []))


@click.command("parse")
@click.argument("files", type=FILE, nargs=-1, required=True)
@click.option("--html", type=FILE, help="Write a page that shows the one FILE's pages beside what was found on them.")
@click.option("--pages", help="Pages to show with --html: 3, 1-5 or 1-3,8.")
@verb("kohaku parse data/sample/documents/*.pdf --json")
@json_option
@with_settings
def parse_command(
    project: Project, files: tuple[Path, ...], html: Path | None, pages: str | None, as_json: bool
) -> None:
    """Parse FILES and print a line for each, in their order: a document payload, or the file and its error.

    Exits with 2 where one of them does not exist, however many of the others can be parsed.
    """
    from kohaku_lib.documents import parse_paths

    if html is not None:
        _write_view(project, files, html, pages)
        return
    if pages is not None:
        msg = f"--pages {pages} shows nothing without --html; add --html OUT.html or leave it out"
        raise InputFileError(msg)
    for outcome in parse_paths(files, project.settings.documents, project.settings.engine.workers):
        if as_json:
            found = outcome.payload or {"file": str(outcome.path), "error": outcome.error}
            emit(json_text(found))
        else:
            emit(_parse_line(outcome))
    if any(not file.exists() or file.is_dir() for file in files):
        sys.exit(USER_MISTAKE)


def _say_members(votes: pa.Table, report: StageReport) -> None:
    """Say what each member weighs, how much it answered, and how often the vote is its own."""
    from kohaku_lib.values import is_blank, values_equal

    cast: dict[str, list[tuple[str, str]]] = {}
    for row in votes.to_pylist():
        for entry in json.loads(row["votes_json"]):
            cast.setdefault(entry["member"], []).append((entry["answer_value"], row["answer_value"]))
    width = max(len(member) for member in cast)
    say(f"{'member':<{width}}  weight  answered  as voted")
    for member, pairs in cast.items():
        weight = report.metrics.get(f"weight of {member}")
        shown = "" if weight is None else f"{weight:.2f}"
        answered = sum(not is_blank(value) for value, _ in pairs)
        agreed = sum(values_equal(value, voted) for value, voted in pairs)
        say(f"{member:<{width}}  {shown:>6}  {answered:>8}  {agreed:>8}")


def _pairs(calibrate: tuple[str, ...], runs: tuple[Path, ...]) -> list[tuple[Path, Path]]:
    """Split each TRUTH:RUN at its last colon; one truth alone belongs to every run."""
    if len(calibrate) == 1 and Path(calibrate[0]).is_file():
        return [(Path(calibrate[0]), run) for run in runs]
    if len(calibrate) != len(runs):
        msg = f"--calibrate must be given once per run, got {len(calibrate)} for {len(runs)} runs"
        raise InputFileError(msg)
    pairs = [text.rpartition(":") for text in calibrate]
    unsplit = next((run for truth, _, run in pairs if not truth), None)
    if unsplit is not None:
        msg = f"--calibrate takes TRUTH.csv:RUN.csv, got {unsplit!r}"
        raise InputFileError(msg)
    return [(Path(truth), Path(run)) for truth, _, run in pairs]


def _write_view(project: Project, files: tuple[Path, ...], html: Path, pages: str | None) -> None:
    from kohaku_lib.documents import page_range, view_file
    from kohaku_lib.storage import write_atomically

    if len(files) != 1:
        msg = f"--html shows one file, got {len(files)}; name one"
        raise InputFileError(msg)
    page = view_file(files[0], project.settings.documents, page_range(pages) if pages else None)
    write_atomically(html, lambda path: path.write_text(page, encoding="utf-8"))
    say(f"{files[0]} → {html}")


def _parse_line(outcome: Any) -> str:
    if outcome.payload is None:
        return f"{outcome.path}: {outcome.status}: {outcome.error}"
    sections = outcome.payload["sections"] or []
    paragraphs = sum(len(section["paragraphs"]) for section in sections)
    return f"{outcome.path}: {outcome.payload['title']!r}, {len(sections)} sections, {paragraphs} paragraphs"


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_plain(part) for part in value)}]"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
