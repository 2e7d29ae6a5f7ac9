"""The picture of a sweep."""

from __future__ import annotations

import io
from collections.abc import Sequence

from kohaku_lib.evaluation.sweep_summary import CellSummary


def plot_sweep(cells: Sequence[CellSummary], title: str, x_name: str, line_name: str, metric: str) -> bytes:
    """Return a PNG: a line of means per value of the line parameter with a band of ±1 standard deviation.

    A dashed line marks the highest mean, a star its cell. x values that are all numbers stand to scale, others side
    by side in their order. Raises ValueError for no cells.
    """
    if not cells:
        msg = "A sweep must have at least one finished cell to be drawn, got none."
        raise ValueError(msg)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.8), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    place = _places([cell.x for cell in cells])
    for line in dict.fromkeys(cell.line for cell in cells):
        own = sorted((cell for cell in cells if cell.line == line), key=lambda cell: place[cell.x])
        xs, means = [place[cell.x] for cell in own], [cell.mean for cell in own]
        (drawn,) = axes.plot(xs, means, marker="o", markersize=4, label=line)
        low, high = ([cell.mean + sign * cell.deviation for cell in own] for sign in (-1, 1))
        axes.fill_between(xs, low, high, alpha=0.15, color=drawn.get_color(), linewidth=0)
    best = next(cell for cell in cells if cell.is_best)
    axes.axhline(best.mean, linestyle="--", linewidth=0.8, color="0.4")
    axes.plot(place[best.x], best.mean, marker="*", markersize=15, color="black", zorder=5)
    label = f"{best.line}, {best.x}: {best.mean:.3f}"
    axes.annotate(label, (place[best.x], best.mean), xytext=(6, 8), textcoords="offset points", fontsize=9)
    axes.set_xticks(list(place.values()), list(place))
    axes.set(title=title, xlabel=x_name, ylabel=metric)
    axes.margins(y=0.15)
    axes.legend(title=line_name, fontsize=8, title_fontsize=8)
    axes.grid(visible=True, alpha=0.25)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()


def _places(values: Sequence[str]) -> dict[str, float]:
    """Return where each distinct value stands on the x axis."""
    distinct = list(dict.fromkeys(values))
    try:
        return {value: float(value) for value in sorted(distinct, key=float)}
    except ValueError:
        return {value: float(position) for position, value in enumerate(distinct)}
