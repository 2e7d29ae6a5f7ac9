"""The cells of a sweep and their settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from kohaku_lib.settings import SweepSettings

Plain = str | int | float | bool
DEFAULT_SAMPLES = 8  # default number of cells of a random search


@dataclass(frozen=True, slots=True)
class SweepCell:
    """One cell of a sweep: the values of its line and its x as text, and its settings ("key=value")."""

    sweep: str
    line: str
    x: str
    overrides: tuple[str, ...]


def cells_of(name: str, sweep: SweepSettings) -> list[SweepCell]:
    """Return the cells of `sweep`, line by line, or a random sample of them in that order.

    A grid has all cells, a random search `samples` (8 by default), halving `samples` (all by default). With further
    settings (`also`) the name of a line includes their values.

    >>> sweep = SweepSettings(line="retrieval.consensus", line_values=("score", "none"), x="retrieval.top_k", x_values=(4, 8))
    >>> [(cell.line, cell.x) for cell in cells_of("mine", sweep)]
    [('score', '4'), ('score', '8'), ('none', '4'), ('none', '8')]
    >>> cells_of("mine", sweep)[0].overrides
    ('ensemble.runs=3', 'retrieval.consensus=score', 'retrieval.top_k=4')
    """
    base = (f"ensemble.runs={sweep.runs}", *(f"{key}={_value_text(value)}" for key, value in sweep.base.items()))
    keys = (sweep.line, *sweep.also)
    lines = list(product(sweep.line_values, *sweep.also.values()))
    number = _sample_size(sweep, len(lines) * len(sweep.x_values))
    places = range(len(lines) * len(sweep.x_values))
    if number is not None:
        places = sorted(np.random.default_rng(sweep.seed).choice(len(places), number, replace=False).tolist())
    return [
        _build_cell(name, sweep.x, base, dict(zip(keys, lines[place // len(sweep.x_values)], strict=True)), value)
        for place in places
        for value in [sweep.x_values[place % len(sweep.x_values)]]
    ]


def _sample_size(sweep: SweepSettings, cells: int) -> int | None:
    """Return the number of sampled cells, None for all."""
    if sweep.search == "grid":
        return None
    size = sweep.samples or (DEFAULT_SAMPLES if sweep.search == "random" else cells)
    return size if size < cells else None


def _build_cell(name: str, x: str, base: tuple[str, ...], line: Mapping[str, Plain], value: Plain) -> SweepCell:
    line_overrides = tuple(f"{key}={_value_text(line_value)}" for key, line_value in line.items())
    return SweepCell(
        name,
        ", ".join(map(_value_text, line.values())),
        _value_text(value),
        (*base, *line_overrides, f"{x}={_value_text(value)}"),
    )


def _value_text(value: Plain) -> str:
    return value if isinstance(value, str) else json.dumps(value)
