"""Successive halving: all cells on a few questions, the better ones on more, the best ones on all."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from kohaku_lib.digests import digest
from kohaku_lib.evaluation.sweeps.held_out import is_held_out
from kohaku_lib.evaluation.sweeps.summary import CellRun
from kohaku_lib.settings import SweepSettings


def question_rungs(ids: Sequence[str], sweep: SweepSettings) -> list[tuple[str, ...]]:
    """Return the questions of each rung: a superset of the previous one, `eta` times as large; the last has all.

    Held-out questions are excluded. The first rung has at least `least_questions`, so few questions make few rungs;
    the questions are drawn by `seed`.

    >>> sweep = SweepSettings(line="a", line_values=(1,), x="b", x_values=(1,), eta=2, least_questions=5, held_out=0)
    >>> [len(rung) for rung in question_rungs([f"q{number}" for number in range(40)], sweep)]
    [5, 10, 20, 40]
    """
    choosing_ids = [name for name in ids if not is_held_out(name, sweep.held_out)] or list(ids)
    shuffled_ids = sorted(choosing_ids, key=lambda name: digest([sweep.seed, name]))
    sizes = [len(shuffled_ids)]
    while sizes[-1] // sweep.eta >= sweep.least_questions:
        sizes.append(sizes[-1] // sweep.eta)
    rungs = (set(shuffled_ids[:size]) for size in reversed(sizes))
    return [tuple(name for name in choosing_ids if name in rung) for rung in rungs]


def survivors(runs: Sequence[CellRun], eta: int) -> list[tuple[str, str]]:
    """Return the cells (line, x) with the highest means, one in `eta` and at least one; earlier ones among equals.

    Jamieson and Talwalkar (2016), https://proceedings.mlr.press/v51/jamieson16.html

    >>> runs = [CellRun("a", str(x), 0, {"q": score}) for x, score in enumerate((0.2, 0.9, 0.5, 0.9))]
    >>> survivors(runs, 2)
    [('a', '1'), ('a', '3')]
    """
    means: dict[tuple[str, str], list[float]] = {}
    for run in runs:
        means.setdefault((run.line, run.x), []).append(run.mean)
    cells_by_mean = sorted(means, key=lambda cell: -fmean(means[cell]))  # stable: the earlier of equals stays first
    surviving_cells = set(cells_by_mean[: -(-len(cells_by_mean) // eta)])
    return [cell for cell in means if cell in surviving_cells]
