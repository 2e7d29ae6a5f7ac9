"""Pictures of experiments: their ranking, and their score by what they took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kohaku_lib.evaluation.report.picture import COLOURS, Picture, clipped, short_name

_LABEL = 34
_LOG_RANGE = 20.0  # wider ranges are drawn on a logarithmic axis


def ranking_picture(rows: Sequence[Mapping[str, Any]]) -> Picture:
    """Return the scores of experiments, best at the top, each with its interval."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        places = range(len(rows))
        for place, row in zip(places, rows, strict=True):
            axes.plot([row["wattbot_low"], row["wattbot_high"]], [place, place], color=COLOURS["sky"], linewidth=2.5)
        axes.plot([row["wattbot"] for row in rows], list(places), "o", color=COLOURS["blue"])
        axes.set_yticks(list(places), [short_name(row["name"], _LABEL) for row in rows])
        axes.invert_yaxis()
        axes.set_xlabel("official score")
        axes.grid(visible=True, axis="x")

    scores = ", ".join(f"{row['name']}: {row['wattbot']:.3f}" for row in rows)
    return Picture(
        "ranking", clipped(f"official scores, best first: {scores}", 2000), (7.2, 0.9 + 0.28 * len(rows)), draw
    )


def scatter_picture(rows: Sequence[Mapping[str, Any]], column: str, label: str) -> Picture:
    """Return the official score of experiments, best first, by `column`, numbered by rank; those without it are left out."""
    points = [
        (row[column], row["wattbot"], f"{rank} {row['name']}")
        for rank, row in enumerate(rows, start=1)
        if row[column] is not None
    ]

    def draw(figure: Any) -> None:
        from matplotlib.ticker import FuncFormatter, NullFormatter

        axes = figure.add_subplot()
        for x, score, name in points:
            axes.plot(x, score, "o", color=COLOURS["blue"], label=short_name(name, _LABEL))
            rank = name.partition(" ")[0]
            axes.annotate(rank, (x, score), xytext=(4, 3), textcoords="offset points", fontsize=8)
        xs = [x for x, _, _ in points]
        if min(xs) > 0 and max(xs) / min(xs) > _LOG_RANGE:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}"))
            axes.xaxis.set_minor_formatter(NullFormatter())
        figure.legend(loc="outside right upper", handlelength=0, handletextpad=0, markerscale=0, fontsize=7)
        axes.set_xlabel(label)
        axes.set_ylabel("official score")
        axes.margins(x=0.15, y=0.12)
        axes.grid(visible=True)

    shown = ", ".join(f"{name}: {x:g} and {score:.3f}" for x, score, name in points)
    return Picture(f"by-{column}", clipped(f"official score by {label}: {shown}", 2000), (7.2, 3.6), draw)
