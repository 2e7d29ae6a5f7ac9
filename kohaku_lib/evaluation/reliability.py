"""How reliable each run is, learned from its agreement with the others and from labelled answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from kohaku_lib.evaluation.belief import Belief, Reliability, believe
from kohaku_lib.evaluation.polls import ABSTAINED, KINDS, Kind, Poll
from kohaku_lib.evaluation.run_similarity import contention, find_shares

UNANSWERABLE = 0.05  # share of questions without an answer, before any vote
_ROUNDS = 3
_PRIOR = Reliability(right=0.65, blank=0.15, abstains=0.9, cites=0.8)
_STRENGTH = 8.0  # questions that each mean weighs against what is more special
_LEAST_CONTENTION = 0.05

Reliabilities = Mapping[tuple[str, Kind], Reliability]


@dataclass(frozen=True, slots=True)
class Lesson:
    """A poll and what is known of its question."""

    poll: Poll
    belief: Belief


@dataclass(slots=True)
class _Tally:
    """Expected counts over answerable questions; `cited` and `sourced` (the right ones) are of references."""

    asked: float = 0.0
    right: float = 0.0
    blank: float = 0.0
    cited: float = 0.0
    sourced: float = 0.0


def estimate(polls: Sequence[Poll], lessons: Sequence[Lesson] = ()) -> dict[tuple[str, Kind], Reliability]:
    """Return the reliability of each member, by kind of question, over `polls` and `lessons`.

    Expectation maximisation with shrinkage: members begin equal, and three rounds count what the belief of all says
    of each. Questions on which all agree count little, since they distinguish nobody. A member's share for a kind
    is shrunk to its own mean, that to the mean of the pool, and that to a prior. A poll that is in `lessons`, too,
    counts there only. How often members abstain where there is no answer is not learned: too few questions have none.
    """
    shares = find_shares(polls)
    found: dict[tuple[str, Kind], Reliability] = {
        (member, kind): replace(_PRIOR, share=share) for member, share in shares.items() for kind in KINDS
    }
    taught = [lesson.poll for lesson in lessons]
    untaught = [poll for poll in polls if poll not in taught]
    for _ in range(_ROUNDS):
        tallies = _tallies([*lessons, *(Lesson(poll, belief_of(poll, found)) for poll in untaught)])
        found = _shrunk(shares, tallies)
    return found


def belief_of(poll: Poll, reliabilities: Reliabilities) -> Belief:
    """Return the belief after a poll whose members are all in `reliabilities`."""
    return believe(poll, voters_of(poll, reliabilities), UNANSWERABLE)


def voters_of(poll: Poll, reliabilities: Reliabilities) -> list[Reliability]:
    """Return the reliability of each voter of a poll, for its kind of question."""
    return [reliabilities[ballot.member, poll.kind] for ballot in poll.ballots]


def _tallies(lessons: Iterable[Lesson]) -> dict[tuple[str, Kind], _Tally]:
    tallies: dict[tuple[str, Kind], _Tally] = defaultdict(_Tally)
    for lesson in lessons:
        poll, belief = lesson.poll, lesson.belief
        answerable = 1.0 - belief.unanswerable
        contended = max(_LEAST_CONTENTION, contention(poll))
        counted = answerable * contended
        for ballot, choice, cited in zip(poll.ballots, poll.choices, poll.refs, strict=True):
            tally = tallies[ballot.member, poll.kind]
            tally.asked += counted
            tally.blank += counted if choice == ABSTAINED else 0.0
            tally.right += contended * belief.values[choice] if choice >= 0 else 0.0
            if cited:
                tally.cited += answerable
                tally.sourced += answerable * sum(belief.refs[ref] for ref in cited) / len(cited)
    return tallies


def _shrunk(
    shares: Mapping[str, float], tallies: Mapping[tuple[str, Kind], _Tally]
) -> dict[tuple[str, Kind], Reliability]:
    totals = {member: _sum([tallies[member, kind] for kind in KINDS if (member, kind) in tallies]) for member in shares}
    pool = _sum(list(totals.values()))
    mean = _reliability(pool, _PRIOR)
    usual = {member: _reliability(total, mean) for member, total in totals.items()}
    return {
        (member, kind): _by_kind(tallies.get((member, kind), _Tally()), usual[member], share)
        for member, share in shares.items()
        for kind in KINDS
    }


def _by_kind(tally: _Tally, usual: Reliability, share: float) -> Reliability:
    found = _reliability(tally, usual)
    return Reliability(found.right, found.blank, found.abstains, usual.cites, share)


def _reliability(tally: _Tally, prior: Reliability) -> Reliability:
    return Reliability(
        right=(tally.right + _STRENGTH * prior.right) / (tally.asked + _STRENGTH),
        blank=(tally.blank + _STRENGTH * prior.blank) / (tally.asked + _STRENGTH),
        abstains=prior.abstains,
        cites=(tally.sourced + _STRENGTH * prior.cites) / (tally.cited + _STRENGTH),
    )


def _sum(tallies: Sequence[_Tally]) -> _Tally:
    return _Tally(*(sum(counts) for counts in zip(*map(astuple, tallies), strict=True)))
