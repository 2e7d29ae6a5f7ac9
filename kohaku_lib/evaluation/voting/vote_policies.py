"""Comparison of all vote policies on labelled questions, over one pool of runs and over random subsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean

import numpy as np

from kohaku_lib.evaluation.metrics.scoring import ScoreReport, score_rows
from kohaku_lib.evaluation.statistics.comparison import holm_adjusted, permutation_p_value
from kohaku_lib.evaluation.submission import submission_rows
from kohaku_lib.evaluation.voting.members import Rows, find_broken
from kohaku_lib.evaluation.voting.modes.interface import TIE_BREAKS, VOTE_MODES
from kohaku_lib.evaluation.voting.vote import vote_rows
from kohaku_lib.settings import EnsembleSettings

SMALLEST_POOL, LARGEST_POOL = 5, 10  # runs per random pool, if there are enough


@dataclass(frozen=True, slots=True)
class PolicyScore:
    """The score of one vote policy over all runs.

    `p_value` is of the paired permutation test against the default, Holm-corrected over the policies; None for the
    default itself. `pools_mean` and `pools_won` (the share in which it is no worse than the default) are over random
    pools of runs, None where none were drawn.
    """

    policy: EnsembleSettings
    report: ScoreReport
    p_value: float | None
    pools_mean: float | None
    pools_won: float | None

    @property
    def is_default(self) -> bool:
        """Whether this is the default policy."""
        return self.policy.ref_mode == EnsembleSettings().ref_mode


def score_policies(
    runs: Mapping[str, Rows], truth: Rows, metric: str = "wattbot", pools: int = 0, seed: int = 0
) -> list[PolicyScore]:
    """Return the score of every policy over `runs`, rows with the WattBot columns by label; best first.

    A single pool is subject to chance, so `pools` random ones of 5 to 10 runs are scored too (of fewer runs, at least
    half of them).

    Raises:
        InputFileError: No run can be used, or `score_rows` raises it.
    """
    policies = vote_policies()
    broken = find_broken(runs)  # a pool of broken runs only could not vote
    sampled_pools = draw_pools([name for name in runs if name not in broken], pools, seed)
    reports = [_policy_report(runs, policy, truth, metric) for policy in policies]
    means = np.array(
        [
            [
                _policy_report({name: runs[name] for name in names}, policy, truth, metric).score
                for names in sampled_pools
            ]
            for policy in policies
        ]
    )
    default = next(place for place, policy in enumerate(policies) if policy.ref_mode == EnsembleSettings().ref_mode)
    others = [place for place in range(len(policies)) if place != default]
    p_values = holm_adjusted([_paired_p_value(reports[default], reports[place], seed) for place in others])
    by_place = dict(zip(others, p_values, strict=True))
    scores = [
        PolicyScore(
            policy,
            reports[place],
            by_place.get(place),
            fmean(means[place]) if sampled_pools else None,
            float(np.mean(means[place] >= means[default] - 1e-9)) if sampled_pools else None,
        )
        for place, policy in enumerate(policies)
    ]
    return sorted(
        scores,
        key=lambda score: (
            -(score.report.score if score.pools_mean is None else score.pools_mean),
            not score.is_default,
        ),
    )


def vote_policies() -> list[EnsembleSettings]:
    """Return every deterministic vote policy: the default, then modes by blanks and ties.

    >>> len(vote_policies()), vote_policies()[0].ref_mode
    (29, 'expected_score')
    """
    default = EnsembleSettings()
    others = [mode for mode in VOTE_MODES.names() if mode != default.ref_mode]
    ways = product(others, (True, False), [one.name for one in TIE_BREAKS if one.is_deterministic])
    return [default, *(EnsembleSettings(ref_mode=mode, ignore_blank=blank, tie_break=tie) for mode, blank, tie in ways)]


def draw_pools(names: Sequence[str], number: int, seed: int = 0) -> list[list[str]]:
    """Return `number` random pools of `names`, each in their order.

    >>> [len(pool) for pool in draw_pools("abcdefghijkl", 4)]
    [10, 8, 8, 6]
    """
    draw = np.random.default_rng(seed)
    max_size = min(LARGEST_POOL, len(names))
    min_size = min(SMALLEST_POOL, -(-len(names) // 2))
    sizes = draw.integers(min_size, max_size, number, endpoint=True).tolist()
    samples = [sorted(draw.choice(len(names), size, replace=False).tolist()) for size in sizes]
    return [[str(names[place]) for place in places] for places in samples]


def _policy_report(runs: Mapping[str, Rows], policy: EnsembleSettings, truth: Rows, metric: str) -> ScoreReport:
    return score_rows(truth, submission_rows(vote_rows(runs, policy)[0]), metric)


def _paired_p_value(first: ScoreReport, second: ScoreReport, seed: int) -> float:
    second_scores = {row.id: row.score for row in second.rows}
    shared = [row for row in first.rows if row.id in second_scores]
    differences = np.array([second_scores[row.id] - row.score for row in shared])
    return permutation_p_value(differences, [row.cluster for row in shared], seed)
