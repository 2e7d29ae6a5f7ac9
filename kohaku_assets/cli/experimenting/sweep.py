"""`kohaku sweep`: try every combination of two settings, and test which is best."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import FAILED_RUN, verb

if TYPE_CHECKING:
    from kohaku_assets.experiments.sweep_runs import SweepRun
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.evaluation import SweepReport


@click.command("sweep")
@click.argument("name", required=False)
@verb("kohaku sweep dedup-by-child_depth", resumes=True)
@json_option
@with_settings
def sweep_command(project: Project, name: str | None, as_json: bool) -> None:
    """Run the unfinished cells of the sweep NAME, each as a Dagster partition; without NAME list the sweeps.

    A sweep is defined in kohaku.toml as [sweep.NAME] with line, line_values, x and x_values. Work shared by cells is
    done once; the next call retries failed cells and skips finished ones.
    """
    if name is None:
        _list_sweeps(project)
        return
    from kohaku_assets.experiments.sweep_runs import run_sweep

    result = run_sweep(project, name, say)
    if as_json:
        print_json(_result_json(result))
    else:
        _print_rungs(result)
        _print_report(result.report)
    say(f"{result.found} cells were already finished, {result.ran} ran, {len(result.report.failures)} failed")
    say(f"picture and page: {result.folder / 'report.html'}")
    if result.report.failures:
        sys.exit(FAILED_RUN)


def _list_sweeps(project: Project) -> None:
    from kohaku_lib.evaluation import PRESETS, cells_of

    rows = [
        (name, sweep.line, sweep.x, len(cells_of(name, sweep)), sweep.runs)
        for name, sweep in {**PRESETS, **project.settings.sweep}.items()
    ]
    print_table("", ("sweep", "line", "x", "cells", "runs"), rows)


def _print_report(report: SweepReport) -> None:
    from kohaku_lib.evaluation import sweep_winner

    rows = [
        (
            cell.line,
            cell.x,
            cell.runs,
            cell.mean,
            f"{cell.deviation:.4f}",
            "best" if cell.is_best else cell.paired_p,
            cell.mark,
        )
        for cell in report.cells
    ]
    columns = (report.sweep.line, report.sweep.x, "runs", report.sweep.metric, "± over runs", "p (Holm)", "")
    print_table(report.name, columns, rows)
    for line in sweep_winner(report):
        say(line)
    for cell, why in report.failures.items():
        say(f"failed: {cell}: {why}")


def _print_rungs(result: SweepRun) -> None:
    if result.rungs:
        rows = [
            (rung.questions, rung.cells, len(rung.kept), len(rung.failed), _join_cells(rung.kept))
            for rung in result.rungs
        ]
        print_table("rungs", ("questions", "cells", "kept", "failed", "kept are"), rows)
        share = result.asked / result.asked_by_grid
        say(f"{result.asked} answers computed; all cells on all questions need {result.asked_by_grid} ({share:.0%})")


def _join_cells(cells: Sequence[tuple[str, str]]) -> str:
    return "; ".join(", ".join(cell) for cell in cells)


def _result_json(result: SweepRun) -> dict[str, Any]:
    report = result.report
    report_json = asdict(report) | {"sweep": report.sweep.model_dump(mode="json"), "failures": dict(report.failures)}
    rungs = [asdict(rung) for rung in result.rungs]
    return report_json | {"rungs": rungs, "asked": result.asked, "asked_by_grid": result.asked_by_grid}
