"""The cells of a sweep: which settings each one tries."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from kohaku_lib.settings import SweepSettings


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a sweep: the two values as text, and the settings ("key=value") that it holds."""

    sweep: str
    line: str
    x: str
    overrides: tuple[str, ...]


def cells_of(name: str, sweep: SweepSettings) -> list[Cell]:
    """Return the cells of `sweep`, line by line; where its search is "random", `samples` of them, in that order.

    >>> sweep = SweepSettings(line="retrieval.rerank", line_values=("score", "none"), x="retrieval.top_k", x_values=(4, 8))
    >>> [(cell.line, cell.x) for cell in cells_of("mine", sweep)]
    [('score', '4'), ('score', '8'), ('none', '4'), ('none', '8')]
    >>> cells_of("mine", sweep)[0].overrides
    ('ensemble.runs=3', 'retrieval.rerank=score', 'retrieval.top_k=4')
    """
    base = (f"ensemble.runs={sweep.runs}", *(f"{key}={_text(value)}" for key, value in sweep.base.items()))
    cells = [
        Cell(name, line, x, (*base, f"{sweep.line}={line}", f"{sweep.x}={x}"))
        for line in map(_text, sweep.line_values)
        for x in map(_text, sweep.x_values)
    ]
    if sweep.search != "random" or sweep.samples >= len(cells):
        return cells
    drawn = np.random.default_rng(sweep.seed).choice(len(cells), sweep.samples, replace=False)
    return [cells[place] for place in sorted(drawn)]


def _text(value: str | float | bool) -> str:
    return value if isinstance(value, str) else json.dumps(value)
