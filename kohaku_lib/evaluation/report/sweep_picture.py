"""The picture of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kohaku_lib.evaluation.report.picture import COLOURS, DASHES, SERIES, Picture, clipped, short_name
from kohaku_lib.evaluation.sweeps.summary import CellSummary
from kohaku_lib.evaluation.sweeps.summary_report import SweepReport

_MARKERS = ("o", "s", "^", "D", "v", "P")
_LABEL = 26


def sweep_picture(report: SweepReport) -> Picture:
    """Return the means of the cells: a line per value of the line setting, with a band of ±1 standard deviation.

    A dashed line marks the highest mean, a star its cell. Numeric x values are drawn to scale, others evenly spaced in
    their order.
    """
    sweep, cells = report.sweep, report.cells
    best = next(cell for cell in cells if cell.is_best)
    position_by_x = _x_positions([cell.x for cell in cells])
    lines = list(dict.fromkeys(cell.line for cell in cells))

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        line_means: list[list[float]] = []
        for number, line in enumerate(lines):
            line_cells = sorted((cell for cell in cells if cell.line == line), key=lambda cell: position_by_x[cell.x])
            _draw_line(
                axes,
                line_cells,
                [position_by_x[cell.x] for cell in line_cells],
                number,
                line_means.count([cell.mean for cell in line_cells]),
            )
            line_means.append([cell.mean for cell in line_cells])
        axes.axhline(best.mean, linestyle=(0, (6, 3)), linewidth=0.9, color=COLOURS["dim"], zorder=1)
        axes.plot(position_by_x[best.x], best.mean, marker="*", markersize=15, color=COLOURS["ink"], zorder=5)
        _name_best(axes, best, position_by_x)
        axes.set_xticks(list(position_by_x.values()), [short_name(x, _LABEL) for x in position_by_x])
        axes.set_xlabel(sweep.x)
        axes.set_ylabel(f"{sweep.metric}, mean of {report.questions} questions")
        axes.margins(x=0.08, y=0.18)
        axes.grid(visible=True, axis="y")
        if len(lines) > 1:
            figure.legend(title=sweep.line, loc="outside right upper", alignment="left", title_fontsize=8.5)

    means_text = ", ".join(f"{cell.line}, {cell.x}: {cell.mean:.3f}" for cell in cells)
    title = clipped(f"{sweep.metric} by {sweep.x} and {sweep.line}: {means_text}", 2000)
    return Picture("sweep", title, (7.2, 3.9), draw)


def _draw_line(axes: Any, line_cells: Sequence[CellSummary], xs: Sequence[float], number: int, hidden: int) -> None:
    """Draw one line; if it would cover `hidden` others, it is dashed and thin so that they remain visible."""
    colour, means = SERIES[number % len(SERIES)], [cell.mean for cell in line_cells]
    low, high = ([cell.mean + sign * cell.deviation for cell in line_cells] for sign in (-1, 1))
    axes.fill_between(xs, low, high, alpha=0.16, color=colour, linewidth=0)
    axes.plot(
        xs,
        means,
        color=colour,
        linewidth=1.7,
        linestyle=DASHES[(number // len(SERIES) + hidden) % len(DASHES)],
        marker=_MARKERS[number % len(_MARKERS)],
        markersize=max(2.0, 5.5 - 2.0 * hidden),
        label=short_name(line_cells[0].line, _LABEL),
    )


def _name_best(axes: Any, best: CellSummary, position_by_x: dict[str, float]) -> None:
    """Write the best mean next to its star, towards the middle of the picture."""
    xs = list(position_by_x.values())
    is_right = position_by_x[best.x] > (min(xs) + max(xs)) / 2
    side = {"xytext": (-9 if is_right else 9, 7), "textcoords": "offset points", "ha": "right" if is_right else "left"}
    axes.annotate(f"best: {best.mean:.3f}", (position_by_x[best.x], best.mean), fontsize=8.5, **side)


def _x_positions(values: Sequence[str]) -> dict[str, float]:
    """Return the position of each distinct value on the x axis."""
    distinct = list(dict.fromkeys(values))
    try:
        return {value: float(value) for value in sorted(distinct, key=float)}
    except ValueError:
        return {value: float(position) for position, value in enumerate(distinct)}
