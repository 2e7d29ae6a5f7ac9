"""Ways to vote that look at one question: its value, its references, and the ballot they are taken from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kohaku_lib.evaluation.voting.ballots import Ballot, first_spellings
from kohaku_lib.evaluation.voting.modes.interface import LEFT_BLANK, VOTE_MODES, Decision, Tally, VoteMode
from kohaku_lib.evaluation.voting.polls import spelling
from kohaku_lib.values import BLANK, group_equal, is_blank, values_equal


def answer_priority(tally: Tally) -> Decision:
    """Vote on values, then on the references of the members with the winning value."""
    winners = tally.first_place(_by_value(tally.ballots))
    return _decision_of(tally, winners, _voted_refs)


def independent(tally: Tally) -> Decision:
    """Vote on values, and on the references of all."""
    winners = tally.first_place(_by_value(tally.ballots))
    return _decision_of(tally, winners, lambda tally, _: _voted_refs(tally, tally.ballots))


def ref_priority(tally: Tally) -> Decision:
    """Vote on references, then on the values of the members that cite the winning ones."""
    citing_ballots = tally.first_place(_by_refs(tally.ballots, tally.settings.ignore_blank))
    winners = None if citing_ballots is None else tally.heaviest(_by_value(citing_ballots))
    return _decision_of(tally, winners, _voted_refs)


def union(tally: Tally) -> Decision:
    """Vote on values, and cite the union of the references of the members with the winning value."""
    winners = tally.first_place(_by_value(tally.ballots))
    return _decision_of(tally, winners, lambda _, winners: _all_refs(winners))


def majority(tally: Tally) -> Decision:
    """Vote on values, and cite the union of all references."""
    winners = tally.first_place(_by_value(tally.ballots))
    return _decision_of(tally, winners, lambda tally, _: _all_refs(tally.ballots))


def intersection(tally: Tally) -> Decision:
    """Vote on values, and cite the intersection of the winners' references, or their majority if it is empty."""
    winners = tally.first_place(_by_value(tally.ballots))
    return _decision_of(tally, winners, lambda tally, winners: _shared_refs(winners) or _voted_refs(tally, winners))


def first_non_blank(tally: Tally) -> Decision:
    """Take the answer of the earliest member that gives one."""
    first = next((ballot for ballot in tally.ballots if not ballot.blank), tally.ballots[0])
    return _decision_of(tally, [first], _voted_refs)


Cite = Callable[[Tally, Sequence[Ballot]], tuple[str, ...]]  # of the ballots with the winning value


def _decision_of(tally: Tally, winners: Sequence[Ballot] | None, cite: Cite) -> Decision:
    if winners is None:
        return LEFT_BLANK
    value = spelling([ballot.value for ballot in winners])
    agreeing = [ballot for ballot in tally.ballots if values_equal(value, ballot.value)]
    agreement = tally.weigh(agreeing) / (tally.weigh(tally.ballots) or 1.0)
    if is_blank(value):
        return Decision(BLANK, (), None, agreement)
    refs = cite(tally, winners)
    base = next((ballot for ballot in winners if _ref_set(ballot) == _folded_refs(refs)), winners[0])
    return Decision(value, refs, base, agreement)


def _by_value(ballots: Sequence[Ballot]) -> list[list[Ballot]]:
    return [[ballots[place] for place in group] for group in group_equal([ballot.value for ballot in ballots])]


def _by_refs(ballots: Sequence[Ballot], drop_empty: bool = True) -> list[list[Ballot]]:
    citing_ballots = [ballot for ballot in ballots if ballot.refs] if drop_empty else []
    groups: dict[frozenset[str], list[Ballot]] = {}
    for ballot in citing_ballots or ballots:
        groups.setdefault(_ref_set(ballot), []).append(ballot)
    return list(groups.values())


def _voted_refs(tally: Tally, ballots: Sequence[Ballot]) -> tuple[str, ...]:
    """Return the references that most of `ballots` cite, skipping ballots without references."""
    return tally.heaviest(_by_refs(ballots))[0].refs


def _all_refs(ballots: Sequence[Ballot]) -> tuple[str, ...]:
    return tuple(first_spellings(ballots).values())


def _shared_refs(ballots: Sequence[Ballot]) -> tuple[str, ...]:
    citing_ballots = [ballot for ballot in ballots if ballot.refs]
    if not citing_ballots:
        return ()
    common_refs = frozenset.intersection(*(_ref_set(ballot) for ballot in citing_ballots))
    return tuple(ref for ref in citing_ballots[0].refs if ref.lower() in common_refs)


def _ref_set(ballot: Ballot) -> frozenset[str]:
    return _folded_refs(ballot.refs)


def _folded_refs(refs: Sequence[str]) -> frozenset[str]:
    return frozenset(ref.lower() for ref in refs)


for _vote in (independent, ref_priority, answer_priority, union, intersection, majority, first_non_blank):
    VOTE_MODES.register(VoteMode(_vote.__name__, _vote))
