"""`kohaku refresh`: read new and changed documents, and compute what is out of date."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.askable import say_askable
from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import Progress, print_json, print_table, say
from kohaku_assets.cli.shared.own_name import own_name
from kohaku_assets.cli.shared.pin_notice import say_if_pinned
from kohaku_assets.cli.shared.verb import FAILED_RUN, STOPPED, verb

if TYPE_CHECKING:
    from kohaku_assets.operations.refresh import RefreshReport
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.documents import DocumentState
    from kohaku_lib.settings import Settings

_WORK_OF_GROUP = {"ingest": "reading the documents", "index": "building the index"}


@click.command("refresh")
@click.argument("assets", nargs=-1, metavar="[STEPS]...")
@click.option("--force", is_flag=True, help="Compute STEPS, or everything, anew even if they are up to date.")
@click.option("--dry-run", is_flag=True, help="Only estimate the chat model calls and their cost.")
@click.option("--rehash", is_flag=True, help="Read all documents again, even if their size and times are unchanged.")
@click.option(
    "--accept-missing", is_flag=True, help="Delete documents whose folder or link is gone or empty as a whole."
)
@click.option("--verbose", is_flag=True, help="Name each step, why it is computed, and each problem at once.")
@verb("kohaku refresh --set retrieval.top_k=12")
@json_option
@with_settings
def refresh_command(  # noqa: PLR0913, PLR0917 - an option each
    project: Project,
    assets: tuple[str, ...],
    force: bool,
    dry_run: bool,
    rehash: bool,
    accept_missing: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Read new and changed documents, and compute what is out of date.

    STEPS, as 'kohaku status --all' lists them, are computed alone, with what they need.
    """
    from kohaku_assets.operations.fetching import unread_states
    from kohaku_assets.operations.refresh import refresh
    from kohaku_assets.pipeline.stages import STAGES, with_ancestors
    from kohaku_assets.records.run_failures import STOPPED as RUN_STOPPED

    forced = (assets or STAGES) if force else ()
    project = replace(project, rehash=rehash or "source_files" in forced, accept_missing=accept_missing)
    if dry_run:
        _print_estimate(project, assets, forced, as_json)
        return
    progress = _Progress(project.settings, verbose=verbose, as_json=as_json)
    report = refresh(
        *(project, assets), force=forced, on_stage=progress.stage, on_progress=progress, on_problem=progress.problem
    )
    _print_refresh([_refresh_row(report, status.asset) for status in report.statuses], as_json, verbose)
    fresh = set(with_ancestors(assets or STAGES, project.settings))
    fresh -= {status.asset for status in report.statuses} - set(report.outcomes)
    unread = unread_states(project) if "documents" in fresh and not as_json else []
    _print_events(report, progress.told | _problems(unread), verbose)
    if not as_json:
        _print_results(project, fresh)
        say_askable(project, unread, is_published="published_index" in fresh)
    say_if_pinned(project)
    if report.failure:
        say(f"kohaku: {RUN_STOPPED if report.was_stopped else report.failure}")
        sys.exit(STOPPED if report.was_stopped else FAILED_RUN)
    if not as_json:
        say(
            f'ask: {own_name()} ask "YOUR QUESTION", or in the browser: {own_name()} serve; the pipeline: {own_name()} ui'
        )


class _Progress(Progress):
    """Says what is done: in words that a person uses, or `verbose` by the names of the assets."""

    def __init__(self, settings: Settings, *, verbose: bool, as_json: bool) -> None:
        super().__init__()
        self._settings, self._verbose, self._as_json = settings, verbose, as_json
        self.told: set[str] = set()

    def stage(self, name: str) -> None:
        self.begin()
        work = None if self._as_json else _work(name, self._settings)
        if self._verbose:
            say(f"… {name}")
        elif work is not None and work not in self.told:
            self.told.add(work)
            say(work)

    def problem(self, problem: str) -> None:
        if self._verbose:
            self.told.add(problem)
            say(f"  {problem}")


def _work(stage: str, settings: Settings) -> str | None:
    """Return what a person calls the work of a stage; None for one that no one waits for."""
    from kohaku_assets.pipeline.stages import STAGES

    if stage == "predictions" and settings.corpus.questions:
        return "answering the questions"
    return _WORK_OF_GROUP.get(STAGES[stage].group)


def _problems(unread: Sequence[DocumentState]) -> set[str]:
    """Return what the stages say of documents that are listed at the end."""
    no_file = {
        f"the metadata row {one.document_id!r} has no file in corpus.documents" for one in unread if not one.path
    }
    return no_file | {f"{one.path}: {one.reason}" for one in unread}


def _print_events(report: RefreshReport, told: Collection[str], verbose: bool) -> None:
    """Say what changed and what went wrong, except for problems that are told at another place."""
    for line in report.changes.told(failed=verbose) if report.changes else ():
        say(line)
    if report.backup:
        say(report.backup)
    for oddity in report.oddities:
        say(oddity)
    said = {*told, *report.oddities}
    for name, outcome in report.outcomes.items():
        for problem in (one for one in outcome.problems if one not in said):
            say(f"{name}: {problem}" if verbose else problem)


def _print_estimate(project: Project, assets: tuple[str, ...], forced: Collection[str], as_json: bool) -> None:
    from kohaku_assets.operations.estimating import as_rows, estimate_refresh

    rows = as_rows(estimate_refresh(project, assets, force=forced))
    if as_json:
        print_json(rows)
        return
    if not rows:
        say("no chat model would be called")
        return
    print_table("", [name.replace("_", " ") for name in rows[0]], [tuple(row.values()) for row in rows])
    say(_sum_of_costs(project, rows))


def _sum_of_costs(project: Project, rows: list[dict[str, Any]]) -> str:
    costs = [row["cost_usd"] for row in rows]
    if None not in costs:
        return f"about {sum(costs):.4f} US dollars"
    unpriced = sorted({row["model"] for row in rows} - set(project.settings.llm.known_prices))
    if not unpriced:
        return "the cost is unknown: not every call can be counted before earlier stages are built"
    shape = f'{{"{unpriced[0]}" = {{input_usd_per_million = 0.15, output_usd_per_million = 0.6}}}}'
    return f"the cost is unknown: llm.prices lacks {', '.join(unpriced)}; set it in the form llm.prices = {shape}"


def _refresh_row(report: RefreshReport, asset: str) -> dict[str, Any]:
    status = next(status for status in report.statuses if status.asset == asset)
    outcome = report.outcomes.get(asset)
    return {
        "asset": asset,
        "why": "; ".join(status.causes) or "forced",
        "computed": outcome.computed if outcome else None,
        "reused": outcome.reused if outcome else None,
        "seconds": round(outcome.seconds, 2) if outcome else None,
    }


def _print_refresh(rows: list[dict[str, Any]], as_json: bool, verbose: bool) -> None:
    if as_json:
        print_json(rows)
        return
    if not rows:
        say("everything is up to date")
        return
    if not verbose:
        return
    columns = ("asset", "why", "rows computed", "rows reused", "seconds")
    filled = [tuple(row.values()) for row in rows if row["computed"] != 0 or row["reused"] != 0]
    if filled:
        print_table("", columns, filled)


def _print_results(project: Project, fresh: set[str]) -> None:
    """Print the scores and the path of the answers, if these assets are among the `fresh` ones."""
    from kohaku_assets.operations.summaries import score_rows_of
    from kohaku_lib.evaluation.statistics.intervals import few_documents

    if "scores" in fresh and (scores := score_rows_of(project)):
        columns = ("answers of", "metric", "n", "score", "95 % interval", "value", "ref", "na")
        print_table("scores", columns, [(*row[:4], row[4].text(), *row[5:]) for row in scores])
        if warning := few_documents(row[4] for row in scores):
            say(warning)
    if "submission" in fresh and project.submission.is_file() and project.settings.corpus.questions:
        say(f"answers: {project.submission}")
