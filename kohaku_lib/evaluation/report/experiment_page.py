"""The page of all experiments: ranking, what each took, flags, and which questions each has right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kohaku_lib.evaluation.experiments.audit import audit
from kohaku_lib.evaluation.report.experiment_pictures import ranking_picture, scatter_picture
from kohaku_lib.evaluation.report.page import figure, legend, paragraph, render_page, section, table
from kohaku_lib.evaluation.statistics.intervals import Interval, few_documents, wilson_interval

Rows = Sequence[Mapping[str, Any]]

# column, axis label
MEASURES = (
    ("latency_s", "seconds per question"),
    ("energy_wh", "watt-hours, CPU and GPU as far as read"),
    ("size_b", "billions of parameters"),
    ("cost_usd", "US dollars"),
)
_RIGHT, _PART, _WRONG = "✓", "·", "✗"


def experiment_page(experiments: Rows, results: Rows) -> str:
    """Return all experiments (rows of EXPERIMENTS and EXPERIMENT_RESULTS) as one self-contained HTML page."""
    rows: list[dict[str, Any]] = [{**row, "energy_wh": energy_wh(row)} for row in experiments]
    ranked = sorted((row for row in rows if not row["problem"]), key=lambda row: -row["wattbot"])
    flags = audit(experiments)
    sections = [
        section(
            "Ranking",
            *([figure(ranking_picture(ranked), _RANKING + few_documents(map(_interval, ranked)))] if ranked else []),
            _ranking_table(ranked),
        ),
        section("Time and cost", _measures_table(ranked), *_scatter_figures(ranked)),
        section("Flags", *(paragraph(f"{name}: {'; '.join(found)}") for name, found in flags.items() if found)),
        section("Right answers by question", _matrix_table(ranked, results), legend(_MATRIX)),
    ]
    return render_page("Experiments", f"{len(experiments)} experiments, {len(ranked)} with scores.", sections)


def energy_wh(row: Mapping[str, Any]) -> float | None:
    """Return the watt-hours of an experiment as far as they were read; None if none were.

    >>> energy_wh({"cpu_energy_wh": 1.5, "gpu_energy_wh": None}), energy_wh({})
    (1.5, None)
    """
    known = [value for name in ("cpu_energy_wh", "gpu_energy_wh") if (value := row.get(name)) is not None]
    return sum(known) if known else None


_RANKING = "Official score with its 95 % bootstrap interval by document. "
_MATRIX = (
    f"{_RIGHT}: the value is right by all three metrics (wattbot, kohaku, fork); {_PART}: by some of them; {_WRONG}: by none. "
    "In the DuckDB file of the store, the view results_matrix has each metric in a column of its own."
)


def _ranking_table(rows: Rows) -> Any:
    columns = (
        "experiment",
        "model",
        "n",
        "wattbot",
        "95 %",
        "kohaku",
        "fork",
        "right values",
        "Wilson 95 %",
        "blank",
        "errors",
    )
    return table(columns, [_ranking_row(row) for row in rows], numeric=2)


def _ranking_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    right = wilson_interval(row["correct"], row["questions"])
    return (
        row["name"],
        row["model"] or "",
        str(row["questions"]),
        f"{row['wattbot']:.3f}",
        _interval(row).text(),
        f"{row['kohaku']:.3f}",
        f"{row['fork']:.3f}",
        f"{row['correct'] / row['questions']:.0%}",
        "" if right.low is None or right.high is None else f"{right.low:.0%} to {right.high:.0%}",
        str(row["blank"]),
        str(row["errors"]),
    )


def _interval(row: Mapping[str, Any]) -> Interval:
    return Interval(row["wattbot_low"], row["wattbot_high"], row.get("wattbot_clusters"))  # of older ones it is unknown


def _measures_table(rows: Rows) -> Any:
    columns = (
        "experiment",
        "s a question",
        "retrieval",
        "answer",
        "Wh",
        "GPU peak W",
        "VRAM GiB",
        "RSS GiB",
        "tokens",
        "USD",
    )
    return table(columns, [_measures_row(row) for row in rows])


def _measures_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    tokens = [row[name] for name in ("input_tokens", "output_tokens") if row[name] is not None]
    return (
        row["name"],
        *(_number(row[name], 2) for name in ("latency_s", "retrieval_s", "answer_s", "energy_wh", "gpu_peak_w")),
        *(
            _number(None if row[name] is None else row[name] / 2**30, 1)
            for name in ("vram_peak_bytes", "rss_peak_bytes")
        ),
        f"{sum(tokens):,}" if tokens else "",
        _number(row["cost_usd"], 4),
    )


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _scatter_figures(rows: Rows) -> list[Any]:
    """Return a picture of each measure that at least two experiments have."""
    return [
        figure(scatter_picture(rows, column, label), f"Official score by {label}.")
        for column, label in MEASURES
        if sum(row[column] is not None for row in rows) > 1
    ]


def _matrix_table(ranked: Rows, results: Rows) -> Any:
    values: dict[tuple[str, str], list[float]] = {}
    for row in results:
        values.setdefault((row["id"], row["experiment"]), []).append(row["value"])
    names = [row["name"] for row in ranked]
    ids = sorted({row["id"] for row in results})
    rows = [(name, *(_mark(values.get((name, experiment))) for experiment in names)) for name in ids]
    return table(("question", *names), rows)


def _mark(values: Sequence[float] | None) -> str:
    if not values:
        return ""
    right = sum(value == 1.0 for value in values)
    return _RIGHT if right == len(values) else _PART if right else _WRONG
