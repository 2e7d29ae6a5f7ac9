"""Scores of votes by the number of runs, over combinations of recorded runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, pstdev
from typing import Literal

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.metrics.scoring import score_rows
from kohaku_lib.evaluation.submission import submission_rows
from kohaku_lib.evaluation.voting.members import Rows, find_broken
from kohaku_lib.evaluation.voting.modes.interface import TIE_BREAKS, VOTE_MODES
from kohaku_lib.evaluation.voting.vote import vote_rows
from kohaku_lib.settings import EnsembleSettings

SIZES = (1, 3, 5, 7, 9, 11, 13, 15)
MOST_COMBINATIONS = 32

VaryBy = Literal["ref_mode", "ignore_blank", "tie_break"]


@dataclass(frozen=True, slots=True)
class SizeScore:
    """The scores of votes of `runs` runs under one value of the varied setting, over `combinations` of them.

    `deviation` is the population standard deviation, 0 for one combination.
    """

    value: str
    runs: int
    combinations: int
    mean: float
    deviation: float


def score_sizes(
    runs: Mapping[str, Rows], truth: Rows, vary: VaryBy = "ref_mode", metric: str = "wattbot"
) -> list[SizeScore]:
    """Return the scores of votes of 1, 3, … 15 of `runs`, as far as there are so many, by value and then size.

    Of each size at most 32 evenly spaced combinations are voted. What is not varied is answer_priority, blanks
    ignored and ties to the first. Broken runs are left out.

    Raises:
        InputFileError: No run can be used, or `score_rows` raises it.
    """
    broken = find_broken(runs)
    names = [name for name in runs if name not in broken]
    if not names:
        msg = f"votes by size need runs with answers, got {len(runs)} without any; use other files"
        raise InputFileError(msg)
    return [
        _score_size(runs, truth, policy, value, even_combinations(names, size), metric)
        for value, policy in _policies(vary).items()
        for size in SIZES
        if size <= len(names)
    ]


def even_combinations(names: Sequence[str], size: int, most: int = MOST_COMBINATIONS) -> list[list[str]]:
    """Return the combinations of `size` of `names` in lexicographic order, of more than `most` evenly spaced ones.

    >>> even_combinations("abcd", 2, most=3)
    [['a', 'b'], ['a', 'd'], ['b', 'd']]
    """
    total = comb(len(names), size)
    places = range(total) if total <= most else [number * total // most for number in range(most)]
    return [_combination(names, size, place) for place in places]


def _combination(names: Sequence[str], size: int, place: int) -> list[str]:
    """Return the combination at `place` in lexicographic order, without listing those before it."""
    chosen: list[str] = []
    for number, name in enumerate(names):
        missing = size - len(chosen)
        if not missing:
            break
        beginning_here = comb(len(names) - number - 1, missing - 1)
        if place < beginning_here:
            chosen.append(name)
        else:
            place -= beginning_here
    return chosen


def _policies(vary: VaryBy) -> dict[str, EnsembleSettings]:
    values: dict[str, Sequence[str | bool]] = {
        "ref_mode": VOTE_MODES.names(),
        "ignore_blank": (True, False),
        "tie_break": TIE_BREAKS.names(),
    }
    base = EnsembleSettings(ref_mode="answer_priority")
    return {str(value).lower(): base.model_copy(update={vary: value}) for value in values[vary]}


def _score_size(
    runs: Mapping[str, Rows],
    truth: Rows,
    policy: EnsembleSettings,
    value: str,
    combinations: Sequence[Sequence[str]],
    metric: str,
) -> SizeScore:
    scores = [
        score_rows(truth, submission_rows(vote_rows({name: runs[name] for name in names}, policy)[0]), metric).score
        for names in combinations
    ]
    return SizeScore(value, len(combinations[0]), len(scores), fmean(scores), pstdev(scores))
