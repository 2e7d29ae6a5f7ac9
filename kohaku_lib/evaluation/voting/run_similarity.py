"""The weight of each run's vote by its similarity to the others, so that runs of one model count like one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from kohaku_lib.evaluation.voting.polls import Poll

_MAX_USUAL_SIMILARITY = 0.7  # maximum similarity of runs of different models
_MIN_DEPARTURES = 5


def find_shares(polls: Sequence[Poll]) -> dict[str, float]:
    """Return the weight of each member's vote: 1.0, less if others deviate from the leading choice like it does.

    Good members agree since they are right; runs of one model agree even if they are wrong. Similarity is the share of
    equal votes on the questions, at least five, where one of two members deviates from the leading choice. Above 0.7,
    which different models hardly reach, it counts as repetition, fully at 1.0; the weight is divided by one plus the
    sum of repetitions, so that k copies count like one member.
    """
    repetitions_by_member = dict.fromkeys(sorted({ballot.member for poll in polls for ballot in poll.ballots}), 0.0)
    alike_counts, departure_counts = _count_similar_votes(polls)
    for pair, number in departure_counts.items():
        for member in pair if number >= _MIN_DEPARTURES else ():
            repetitions_by_member[member] += max(
                0.0, (alike_counts[pair] / number - _MAX_USUAL_SIMILARITY) / (1.0 - _MAX_USUAL_SIMILARITY)
            )
    return {member: 1.0 / (1.0 + repetitions) for member, repetitions in repetitions_by_member.items()}


_Pair = tuple[str, str]


def _count_similar_votes(polls: Sequence[Poll]) -> tuple[Counter[_Pair], Counter[_Pair]]:
    """Count by pair of members the questions where both deviate to the same choice, and those where either deviates."""
    alike_counts: Counter[_Pair] = Counter()
    departure_counts: Counter[_Pair] = Counter()
    for poll in polls:
        counts = Counter(poll.choices)
        leading = {choice for choice, count in counts.items() if count == max(counts.values())}
        choices = sorted(zip((ballot.member for ballot in poll.ballots), poll.choices, strict=True))
        for (first, one), (second, other) in combinations(choices, 2):
            departure_counts[first, second] += not (one == other and one in leading)
            alike_counts[first, second] += one == other and one not in leading
    return alike_counts, +departure_counts
