"""The report of a sweep as one HTML page and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kohaku_lib.evaluation.report.page import (
    figure,
    legend,
    markdown_table,
    markdown_text,
    paragraph,
    render_page,
    section,
    table,
)
from kohaku_lib.evaluation.report.sweep_picture import sweep_picture
from kohaku_lib.evaluation.sweeps.summary import CellSummary
from kohaku_lib.evaluation.sweeps.summary_report import SweepReport, sweep_winner

_LEGEND = (
    "p: paired permutation test against the best cell by document, Holm-corrected over the cells; *** ** * ^ "
    "below .001, .01, .05, .10. Least difference: the minimum detectable difference at power 0.8. "
    "Interval: 95 % bootstrap by document, and the effective number of documents."
)
_OVER_RUNS = " Welch p and d (Cohen's): the means of the runs against those of the best cell."

_OF_HALVING = (
    " Only the cells that survived all rungs of halving are listed: p is corrected over these, on questions most of which "
    "were used to choose them."
)


def sweep_page(report: SweepReport) -> str:
    """Return the report as one self-contained HTML file without scripts, with light and dark theme, printable."""
    caption = (
        "Lines: means over questions and runs. Bands: ±1 standard deviation over runs; none for one run. "
        "Dashed: the highest mean. Star: its cell."
    )
    failed = [paragraph(f"Failed: {cell}: {why}") for cell, why in report.failures.items()]
    cells = table(_cell_columns(report), _cell_rows(report), numeric=2)
    sections = [
        section("Result", *map(paragraph, _result_sentences(report)), figure(sweep_picture(report), caption)),
        section("Cells", cells, legend(_cell_legend(report))),
        *([section("Failed cells", *failed)] if failed else []),
    ]
    return render_page(f"Sweep {report.name}", _sweep_subtitle(report), sections)


def sweep_markdown(report: SweepReport) -> str:
    """Return the report as Markdown: the best cell, a row per cell, failed cells."""
    parts = [
        f"# Sweep {markdown_text(report.name)}",
        *map(markdown_text, _result_sentences(report)),
        markdown_table(_cell_columns(report), _cell_rows(report), numeric=2),
        markdown_text(_cell_legend(report)),
        *(markdown_text(f"Failed: {cell}: {why}") for cell, why in report.failures.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _sweep_subtitle(report: SweepReport) -> str:
    sweep = report.sweep
    runs = sorted({cell.runs for cell in report.cells})
    times = str(runs[0]) if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    whose = "run" if sweep.of == "runs" else "vote"
    return (
        f"{sweep.line} by {sweep.x}: {len(report.cells)} cells, {times} {whose}{'' if times == '1' else 's'} each, "
        f"{report.questions} questions, {sweep.metric}."
    )


def _result_sentences(report: SweepReport) -> Iterator[str]:
    yield from sweep_winner(report)
    indistinct_cells = [cell for cell in report.cells if cell.paired_p is not None and cell.paired_p >= 0.05]
    others = len(report.cells) - 1
    if others:
        yield f"{len(indistinct_cells)} of the {others} other cells do not differ significantly from the best one (p < 0.05)."
    if len(report.ranks) > 1:
        ranks = sorted(report.ranks.items(), key=lambda item: item[1])
        yield f"Mean rank of {report.sweep.line}: {', '.join(f'{line} {rank:.2f}' for line, rank in ranks)}."


def _cell_columns(report: SweepReport) -> tuple[str, ...]:
    sweep = report.sweep
    over_runs = ("Welch p", "d") if _has_effects(report) else ()
    figures = ("runs", sweep.metric, "± over runs", "95 % interval", "p", "least difference", *over_runs)
    return (sweep.line, sweep.x, *figures)


def _cell_rows(report: SweepReport) -> Iterator[Sequence[str]]:
    for cell in report.cells:
        figures = (f"{cell.mean:.4f}", f"{cell.deviation:.4f}", cell.interval.text(), _paired_p_text(cell))
        over_runs = (_p_value_text(cell.welch_p), _figure_text(cell.effect, 2)) if _has_effects(report) else ()
        yield (cell.line, cell.x, str(cell.runs), *figures, _figure_text(cell.detectable, 3), *over_runs)


def _cell_legend(report: SweepReport) -> str:
    over_runs = _OVER_RUNS if _has_effects(report) else ""
    return _LEGEND + over_runs + (_OF_HALVING if report.sweep.search == "halving" else "")


def _has_effects(report: SweepReport) -> bool:
    return any(cell.effect is not None for cell in report.cells)


def _paired_p_text(cell: CellSummary) -> str:
    return "best" if cell.is_best else f"{_p_value_text(cell.paired_p)} {cell.mark}".strip()


def _p_value_text(p_value: float | None) -> str:
    return "<0.001" if p_value is not None and p_value < 0.001 else _figure_text(p_value, 3)


def _figure_text(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
