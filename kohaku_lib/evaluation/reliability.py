"""How reliable each run is, learned from its agreement with the others and from labelled answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kohaku_lib.evaluation.belief import Belief, Reliability, believe
from kohaku_lib.evaluation.polls import ABSTAINED, Poll

UNANSWERABLE = 0.05  # share of questions without an answer
_ROUNDS = 5
_PRIOR = Reliability(right=0.65, blank=0.15, abstains=0.9, cites=0.8)
_POOL_QUESTIONS = 5.0  # that the prior weighs against the pool's mean
_MEMBER_QUESTIONS = 8.0  # that the pool's mean weighs against a member


@dataclass(slots=True)
class Tally:
    """Expected counts over answerable questions: `asked`, `right`, `blank`, and of the cited ones, `sourced`."""

    asked: float = 0.0
    right: float = 0.0
    blank: float = 0.0
    cited: float = 0.0
    sourced: float = 0.0


def estimate(polls: Sequence[Poll], known: Mapping[str, Tally] | None = None) -> dict[str, Reliability]:
    """Return the reliability of each member over `polls`, by expectation maximisation with shrinkage.

    Members begin alike; five rounds weigh each by what the others and `known`, tallies over labelled questions, make
    likely. Shares are shrunk to the mean of the pool, and that to a prior, so that few questions move little.
    How often a member abstains where there is no answer is not learned: too few questions have none.
    """
    members = sorted({ballot.member for poll in polls for ballot in poll.ballots})
    found = dict.fromkeys(members, _PRIOR)
    for _ in range(_ROUNDS):
        found = _shrunk(_tallies(polls, found, known or {}))
    return found


def believe_all(polls: Iterable[Poll], reliability_by_member: Mapping[str, Reliability]) -> list[Belief]:
    """Return the belief after each poll."""
    return [_belief(poll, reliability_by_member) for poll in polls]


def _belief(poll: Poll, reliability_by_member: Mapping[str, Reliability]) -> Belief:
    return believe(poll, [reliability_by_member[ballot.member] for ballot in poll.ballots], UNANSWERABLE)


def _tallies(polls: Sequence[Poll], found: Mapping[str, Reliability], known: Mapping[str, Tally]) -> dict[str, Tally]:
    tallies = {member: _copy(known.get(member)) for member in found}
    for poll in polls:
        belief = _belief(poll, found)
        answerable = 1.0 - belief.unanswerable
        for ballot, choice, cited in zip(poll.ballots, poll.choices, poll.refs, strict=True):
            tally = tallies[ballot.member]
            tally.asked += answerable
            tally.blank += answerable if choice == ABSTAINED else 0.0
            tally.right += belief.values[choice] if choice >= 0 else 0.0
            if cited:
                tally.cited += answerable
                tally.sourced += answerable * sum(belief.refs[ref] for ref in cited) / len(cited)
    return tallies


def _copy(tally: Tally | None) -> Tally:
    return Tally() if tally is None else Tally(tally.asked, tally.right, tally.blank, tally.cited, tally.sourced)


def _shrunk(tallies: Mapping[str, Tally]) -> dict[str, Reliability]:
    right = _shares([(tally.right, tally.asked) for tally in tallies.values()], _PRIOR.right)
    blank = _shares([(tally.blank, tally.asked) for tally in tallies.values()], _PRIOR.blank)
    cites = _shares([(tally.sourced, tally.cited) for tally in tallies.values()], _PRIOR.cites)
    return {
        member: Reliability(right[place], blank[place], _PRIOR.abstains, cites[place])
        for place, member in enumerate(tallies)
    }


def _shares(counts: Sequence[tuple[float, float]], prior: float) -> list[float]:
    hits, trials = sum(hit for hit, _ in counts), sum(trial for _, trial in counts)
    mean = (hits + _POOL_QUESTIONS * prior) / (trials + _POOL_QUESTIONS)
    return [(hit + _MEMBER_QUESTIONS * mean) / (trial + _MEMBER_QUESTIONS) for hit, trial in counts]
