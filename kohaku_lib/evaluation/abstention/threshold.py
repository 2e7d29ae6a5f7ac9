"""The abstention threshold: the confidence below which a blank costs less than the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.digests import text_sha256
from kohaku_lib.evaluation.statistics.comparison import permutation_p_value

_FOLDS = 10


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One answer: its confidence, whether it is right, whether the question has an answer at all, and its cluster."""

    id: str
    confidence: float
    right: bool
    answerable: bool = True
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class Abstention:
    """A threshold, and its cross-validated effect.

    `threshold` is chosen on all answers; those below it are better left blank; minus infinity blanks none. The other
    figures apply to each question the threshold chosen without its fold: `cost` and `cost_before` are the mean cost of
    an answer with and without the threshold, `left_blank` the ids below it, and `p_value` that of the two-sided paired
    permutation test on these costs.
    """

    blank_cost: float
    threshold: float
    cost_before: float
    cost: float
    left_blank: tuple[str, ...]
    lost: int
    saved: int
    p_value: float

    @property
    def helps(self) -> bool:
        """Whether the threshold lowers the cost of held-out questions."""
        return self.cost < self.cost_before


def choose_abstention(answers: Sequence[ScoredAnswer], blank_cost: float) -> Abstention:
    """Return the threshold of minimum cost, where a wrong answer costs 1, a right one 0 and a blank `blank_cost`.

    A blank for an unanswerable question costs nothing. Of equally good thresholds the lowest is chosen. The other
    figures are cross-validated over ten folds, or as many as there are answers: `lost` counts right answers left blank,
    `saved` wrong ones. Without answers the cost is 0.

    >>> answers = [ScoredAnswer(f"q{n}", n / 10, n > 3) for n in range(10)]
    >>> choice = choose_abstention(answers, 0.5)
    >>> choice.threshold, choice.cost_before, choice.cost, choice.lost, choice.saved, choice.p_value
    (0.4, 0.4, 0.25, 1, 4, 0.375)
    """
    parts = folds([answer.id for answer in answers])
    blank_ids = [
        part.id
        for number in range(_FOLDS)
        for part in _answers_below(
            [answer for answer, fold in zip(answers, parts, strict=True) if fold == number],
            _best_threshold(
                [answer for answer, fold in zip(answers, parts, strict=True) if fold != number], blank_cost
            ),
        )
    ]
    blank_set = set(blank_ids)
    costs_before, costs_after = _answer_costs(answers, set(), blank_cost), _answer_costs(answers, blank_set, blank_cost)
    return Abstention(
        blank_cost,
        _best_threshold(answers, blank_cost),
        float(costs_before.mean()) if answers else 0.0,
        float(costs_after.mean()) if answers else 0.0,
        tuple(answer.id for answer in answers if answer.id in blank_set),
        sum(answer.right for answer in answers if answer.id in blank_set),
        sum(not answer.right for answer in answers if answer.id in blank_set),
        permutation_p_value(costs_after - costs_before, [answer.cluster for answer in answers]),
    )


def folds(ids: Sequence[str]) -> list[int]:
    """Assign each id to one of ten folds of equal size, by the digests of the ids, independent of their order.

    >>> folds(["a", "b", "c"])
    [2, 1, 0]
    """
    places_by_digest = sorted(range(len(ids)), key=lambda place: text_sha256(ids[place]))
    parts = [0] * len(ids)
    for rank, place in enumerate(places_by_digest):
        parts[place] = rank % _FOLDS
    return parts


def _best_threshold(answers: Sequence[ScoredAnswer], blank_cost: float) -> float:
    """Return the minimum confidence of answers to give; minus infinity if all of them are best given."""
    by_confidence = sorted(answers, key=lambda answer: answer.confidence)
    gains = np.cumsum([(not answer.right) - _blank_cost(answer, blank_cost) for answer in by_confidence])
    best, threshold = 1e-9, float("-inf")
    for place, gain in enumerate(gains):
        above = by_confidence[place + 1].confidence if place + 1 < len(by_confidence) else float("inf")
        if gain > best and above != by_confidence[place].confidence:
            best, threshold = float(gain) + 1e-9, above
    return threshold


def _answers_below(answers: Sequence[ScoredAnswer], threshold: float) -> list[ScoredAnswer]:
    return [answer for answer in answers if answer.confidence < threshold]


def _answer_costs(answers: Sequence[ScoredAnswer], blank: set[str], blank_cost: float) -> np.ndarray:
    costs = [_blank_cost(answer, blank_cost) if answer.id in blank else float(not answer.right) for answer in answers]
    return np.array(costs, np.float64)


def _blank_cost(answer: ScoredAnswer, blank_cost: float) -> float:
    return blank_cost if answer.answerable else 0.0
