"""How much each run repeats another one, such as a second sample of the same model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from kohaku_lib.evaluation.polls import Poll

_USUAL = 0.7  # similarity up to which runs may be of different models
_LEAST_DEPARTURES = 5

_Pair = tuple[str, str]


def contention(poll: Poll) -> float:
    """Return near zero where all votes are equal, near one where none agree.

    >>> from kohaku_lib.evaluation.ballots import Ballot
    >>> from kohaku_lib.evaluation.polls import take_poll
    >>> contention(take_poll([Ballot(str(place), value) for place, value in enumerate("7778")]))
    0.4375
    """
    most = max(Counter(poll.choices).values()) / len(poll.choices)
    return 1.0 - most * most


def find_shares(polls: Sequence[Poll]) -> dict[str, float]:
    """Return what the vote of each member counts: 1.0, less where others depart from the leading choice as it does.

    Good members agree since they are right; runs of one model agree where they are wrong, too. Similarity is the share of
    equal votes on the questions, five at least, where one of two departs from the leading choice. Beyond 0.7, which
    different models hardly reach, it is repetition, whole at 1.0; a member is divided by one plus its repetitions, so
    that k copies count like one.
    """
    repeated = dict.fromkeys(sorted({ballot.member for poll in polls for ballot in poll.ballots}), 0.0)
    alike, departed = _similarity(polls)
    for pair, number in departed.items():
        for member in pair if number >= _LEAST_DEPARTURES else ():
            repeated[member] += max(0.0, (alike[pair] / number - _USUAL) / (1.0 - _USUAL))
    return {member: 1.0 / (1.0 + repetitions) for member, repetitions in repeated.items()}


def _similarity(polls: Sequence[Poll]) -> tuple[Counter[_Pair], Counter[_Pair]]:
    """By pair of members: the questions where both depart to the same choice, and those where one of them departs."""
    alike: Counter[_Pair] = Counter()
    departed: Counter[_Pair] = Counter()
    for poll in polls:
        counts = Counter(poll.choices)
        leading = {choice for choice, count in counts.items() if count == max(counts.values())}
        voted = sorted(zip((ballot.member for ballot in poll.ballots), poll.choices, strict=True))
        for (first, one), (second, other) in combinations(voted, 2):
            departed[first, second] += not (one == other and one in leading)
            alike[first, second] += one == other and one not in leading
    return alike, +departed
