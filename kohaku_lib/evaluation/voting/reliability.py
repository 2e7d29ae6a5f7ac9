"""The reliability of each run, estimated from its agreement with the others and from labelled answers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from kohaku_lib.evaluation.voting.belief import Belief, Reliability, believe
from kohaku_lib.evaluation.voting.polls import ABSTAINED, KINDS, Kind, Poll
from kohaku_lib.evaluation.voting.run_similarity import find_shares

UNANSWERABLE = 0.05  # share of questions without an answer, before any vote
_ROUNDS = 3
_PRIOR = Reliability(right=0.65, blank=0.15, abstains=0.9, cites=0.8)
_STRENGTH = 8.0  # pseudo-questions of each mean in the hierarchical shrinkage
_MIN_CONTENTION = 0.05
Reliabilities = Mapping[tuple[str, Kind], Reliability]


@dataclass(frozen=True, slots=True)
class LabelledPoll:
    """A poll and the truth about its question."""

    poll: Poll
    belief: Belief


@dataclass(slots=True)
class _Tally:
    """Expected counts: of answerable questions, right and blank answers, references and right references.

    `told_right` and `told_wrong` are the right and wrong values that come with words, `stated_...` those stated in them.
    """

    answerable: float = 0.0
    right: float = 0.0
    blank: float = 0.0
    references: float = 0.0
    right_references: float = 0.0
    told_right: float = 0.0
    stated_right: float = 0.0
    told_wrong: float = 0.0
    stated_wrong: float = 0.0


def estimate(polls: Sequence[Poll], lessons: Sequence[LabelledPoll] = ()) -> dict[tuple[str, Kind], Reliability]:
    """Return the reliability of each member, by kind of question, over `polls` and `lessons`.

    Expectation maximisation with shrinkage: members start equal, and each of three rounds counts the votes of every
    member under the belief of all. Unanimous questions have little weight, since they do not discriminate. A member's
    share for a kind is shrunk to its own mean, that to the mean of the pool, and that to a prior. How often right and
    wrong values are stated by the words that come with them is one pair of shares for the pool. A poll that is in
    `lessons` too counts there only. Abstention on unanswerable questions is not estimated, as there are too few.
    """
    shares = find_shares(polls)
    reliabilities: dict[tuple[str, Kind], Reliability] = {
        (member, kind): replace(_PRIOR, share=share) for member, share in shares.items() for kind in KINDS
    }
    labelled_polls = [lesson.poll for lesson in lessons]
    unlabelled_polls = [poll for poll in polls if poll not in labelled_polls]
    for _ in range(_ROUNDS):
        tallies = _count_votes(
            [*lessons, *(LabelledPoll(poll, belief_of(poll, reliabilities)) for poll in unlabelled_polls)]
        )
        reliabilities = _shrink(shares, tallies)
    return reliabilities


def belief_of(poll: Poll, reliabilities: Reliabilities) -> Belief:
    """Return the belief after a poll whose members are all in `reliabilities`."""
    return believe(poll, voters_of(poll, reliabilities), UNANSWERABLE)


def voters_of(poll: Poll, reliabilities: Reliabilities) -> list[Reliability]:
    """Return the reliability of each voter of a poll, for its kind of question."""
    return [reliabilities[ballot.member, poll.kind] for ballot in poll.ballots]


def _count_votes(lessons: Iterable[LabelledPoll]) -> dict[tuple[str, Kind], _Tally]:
    tallies: dict[tuple[str, Kind], _Tally] = defaultdict(_Tally)
    for lesson in lessons:
        poll, belief = lesson.poll, lesson.belief
        answerable = 1.0 - belief.unanswerable
        contention_weight = max(_MIN_CONTENTION, contention(poll))
        weight = answerable * contention_weight
        for ballot, choice, refs in zip(poll.ballots, poll.choices, poll.refs, strict=True):
            tally = tallies[ballot.member, poll.kind]
            tally.answerable += weight
            tally.blank += weight if choice == ABSTAINED else 0.0
            right = belief.values[choice] if choice >= 0 else 0.0
            tally.right += contention_weight * right
            if ballot.stated is not None:
                tally.told_right += contention_weight * right
                tally.told_wrong += contention_weight * (1.0 - right)
            if ballot.stated:
                tally.stated_right += contention_weight * right
                tally.stated_wrong += contention_weight * (1.0 - right)
            if refs:
                tally.references += answerable
                tally.right_references += answerable * sum(belief.refs[ref] for ref in refs) / len(refs)
    return tallies


def _shrink(
    shares: Mapping[str, float], tallies: Mapping[tuple[str, Kind], _Tally]
) -> dict[tuple[str, Kind], Reliability]:
    totals = {
        member: _sum_tallies([tallies[member, kind] for kind in KINDS if (member, kind) in tallies])
        for member in shares
    }
    pool = _sum_tallies(list(totals.values()))
    mean = _shrunk_reliability(pool, _with_statements(_PRIOR, pool))
    usual_by_member = {member: _shrunk_reliability(total, mean) for member, total in totals.items()}
    return {
        (member, kind): _kind_reliability(tallies.get((member, kind), _Tally()), usual_by_member[member], share)
        for member, share in shares.items()
        for kind in KINDS
    }


def _kind_reliability(tally: _Tally, usual: Reliability, share: float) -> Reliability:
    reliability = _shrunk_reliability(tally, usual)
    return replace(usual, right=reliability.right, blank=reliability.blank, share=share)


def _with_statements(reliability: Reliability, pool: _Tally) -> Reliability:
    """Return `reliability` with how often right and wrong values are stated, both shrunk to the share of all values."""
    usual = (pool.stated_right + pool.stated_wrong + 1.0) / (pool.told_right + pool.told_wrong + 2.0)
    return replace(
        reliability,
        states_right=(pool.stated_right + _STRENGTH * usual) / (pool.told_right + _STRENGTH),
        states_wrong=(pool.stated_wrong + _STRENGTH * usual) / (pool.told_wrong + _STRENGTH),
    )


def _shrunk_reliability(tally: _Tally, prior: Reliability) -> Reliability:
    return replace(
        prior,
        right=(tally.right + _STRENGTH * prior.right) / (tally.answerable + _STRENGTH),
        blank=(tally.blank + _STRENGTH * prior.blank) / (tally.answerable + _STRENGTH),
        cites=(tally.right_references + _STRENGTH * prior.cites) / (tally.references + _STRENGTH),
    )


def _sum_tallies(tallies: Sequence[_Tally]) -> _Tally:
    return _Tally(*(sum(counts) for counts in zip(*map(astuple, tallies), strict=True)))


def contention(poll: Poll) -> float:
    """Return the disagreement of the votes: near zero if all are equal, near one if none agree.

    >>> from kohaku_lib.evaluation.voting.ballots import Ballot
    >>> from kohaku_lib.evaluation.voting.polls import take_poll
    >>> contention(take_poll([Ballot(str(place), value) for place, value in enumerate("7778")]))
    0.4375
    """
    largest_share = max(Counter(poll.choices).values()) / len(poll.choices)
    return 1.0 - largest_share * largest_share
