"""The decision with the highest expected score: a value or a blank, and its references."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from kohaku_lib.evaluation.metrics.answers.wattbot import reference_overlap, value_right_official
from kohaku_lib.evaluation.metrics.scoring import WEIGHTS
from kohaku_lib.evaluation.voting.ballots import first_spellings
from kohaku_lib.evaluation.voting.belief import Belief, Reliability
from kohaku_lib.evaluation.voting.modes.interface import Decision
from kohaku_lib.evaluation.voting.polls import ABSTAINED, Poll
from kohaku_lib.values import BLANK

BLANK_WORTH = 0.475  # of a right blank: mean of 0.10 by this metric and 0.85 by KohakuRAG's validator
_MOST_REFS = 3
_CONSIDERED_REFS = 4


def decide_by_score(
    poll: Poll, belief: Belief, reliabilities: Sequence[Reliability], blank_worth: float = BLANK_WORTH
) -> Decision:
    """Return the decision with the highest expected score under the `wattbot` metric.

    A right value scores 0.75. A right blank scores `blank_worth`, 0.475 by default: the official metric gives it 0.10
    only, since it accepts any value for unanswerable questions, but other metrics and readers penalise invented answers.
    A value may serve several truths: 85 is right for 85 and for 80-90.
    References maximise the expected Jaccard index over what the members cite; a blank has none.
    """
    best_place = _best_value(poll, belief, blank_worth)
    choice = ABSTAINED if best_place is None else best_place
    voters = [
        ballot for ballot, ballot_choice in zip(poll.ballots, poll.choices, strict=True) if ballot_choice == choice
    ]
    agreement = len(voters) / len(poll.ballots)
    if best_place is None:
        return Decision(BLANK, (), None, agreement, belief.unanswerable)
    refs = _best_refs(poll, belief, reliabilities)
    ref_set = frozenset(refs)
    base = next((ballot for ballot in voters if frozenset(ref.lower() for ref in ballot.refs) == ref_set), voters[0])
    return Decision(poll.candidates[best_place], refs, base, agreement, _score_probability(poll, belief, best_place))


def _best_value(poll: Poll, belief: Belief, blank_worth: float) -> int | None:
    if not poll.candidates:
        return None
    earned = [WEIGHTS["value"] * _score_probability(poll, belief, place) for place in range(len(poll.candidates))]
    blank = blank_worth * belief.unanswerable
    return None if blank > max(earned) else earned.index(max(earned))


def _score_probability(poll: Poll, belief: Belief, place: int) -> float:
    """Return the probability that the value of a candidate scores, over all candidates for the truth."""
    value = poll.candidates[place]
    return sum(
        chance
        for other, chance in enumerate(belief.values)
        if other == place or value_right_official(poll.candidates[other], value)
    )


def _best_refs(poll: Poll, belief: Belief, reliabilities: Sequence[Reliability]) -> tuple[str, ...]:
    chances = _set_chances(poll, belief, reliabilities)
    if not chances:
        return ()
    by_ref: defaultdict[str, float] = defaultdict(float)
    for refs, chance in chances.items():
        for ref in refs:
            by_ref[ref] += chance
    considered_refs = sorted(by_ref, key=lambda ref: (-by_ref[ref], ref))[:_CONSIDERED_REFS]
    sets = [refs for size in range(1, _MOST_REFS + 1) for refs in combinations(considered_refs, size)]
    gains = [
        sum(chance * reference_overlap(set(refs), set(truth)) for truth, chance in chances.items()) for refs in sets
    ]
    spellings = first_spellings(poll.ballots)
    return tuple(spellings[ref] for ref in sets[gains.index(max(gains))])


def _set_chances(poll: Poll, belief: Belief, reliabilities: Sequence[Reliability]) -> dict[frozenset[str], float]:
    """Return the weight of each reference set: half by belief in its single id, as most truths have one, half as cited."""
    chances: defaultdict[frozenset[str], float] = defaultdict(float)
    for ref, chance in belief.refs.items():
        chances[frozenset([ref])] += chance
    weights = [
        member.share * member.cites**2 if refs else 0.0 for refs, member in zip(poll.refs, reliabilities, strict=True)
    ]
    for refs, weight in zip(poll.refs, weights, strict=True):
        if refs:
            chances[frozenset(refs)] += weight / sum(weights)
    return chances
