"""The vote on one question: value, references, and the ballot they are taken from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kohaku_lib.evaluation.voting.ballots import Ballot, first_spellings
from kohaku_lib.evaluation.voting.polls import spelling
from kohaku_lib.kinds import TIE_BREAKS, VOTE_MODES
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.values import BLANK, group_equal, is_blank, values_equal


@dataclass(frozen=True, slots=True)
class Decision:
    """The winning value and references, the first ballot with them (None if blank), and the agreement.

    `agreement` is the share of the counted weight for the value; 0.0 if nothing was counted or a tie was left blank.
    `probability` is that of the value to be right, None if the mode does not estimate it.
    """

    value: str
    refs: tuple[str, ...]
    base: Ballot | None
    agreement: float
    probability: float | None = None


LEFT_BLANK = Decision(BLANK, (), None, 0.0)


def decide(
    ballots: Sequence[Ballot],
    settings: EnsembleSettings,
    question_id: str = "",
    weights: Mapping[str, float] | None = None,
) -> Decision:
    """Return the decision of the `ballots` on one question, in the order of the members, under `settings`.

    Values that agree (0.1 %, ranges, booleans, case) are grouped; references are compared as sets. A tie in the first
    vote (on values, or on references under ref_priority) goes to the earliest member, to a blank row, or to a draw by
    seed and question; later ties go to the earliest. Members have the weight 1.0 unless given in `weights`. A blank
    decision has no references.

    >>> ballots = [Ballot("a", "80", ("x",)), Ballot("b", "is_blank"), Ballot("c", "80.0", ("y",)), Ballot("d", "7")]
    >>> decide(ballots, EnsembleSettings(ref_mode="union", ignore_blank=True)).refs
    ('x', 'y')
    """
    weigh = _make_weigher(weights or {})
    countable = _countable_ballots(ballots, settings.ignore_blank)
    if not countable:
        return LEFT_BLANK
    return VOTE_MODES.get(settings.ref_mode).decide(Tally(countable, settings, question_id, weigh))


Weigher = Callable[[Sequence[Ballot]], float]


@dataclass(frozen=True, slots=True)
class Tally:
    """The counted ballots on one question, in the order of the members, and their weights."""

    ballots: Sequence[Ballot]
    settings: EnsembleSettings
    question_id: str
    weigh: Weigher

    def first_place(self, groups: Sequence[list[Ballot]]) -> list[Ballot] | None:
        """Return the heaviest of `groups`; ties are broken according to the settings; None leaves the question blank."""
        best = max(self.weigh(group) for group in groups)
        tied = [group for group in groups if math.isclose(self.weigh(group), best, rel_tol=1e-9)]
        if len(tied) == 1:
            return tied[0]
        return TIE_BREAKS.get(self.settings.tie_break).choose(tied, self.settings, self.question_id)

    def heaviest(self, groups: Sequence[list[Ballot]]) -> list[Ballot]:
        """Return the heaviest of `groups`, the earliest among equals."""
        best = max(self.weigh(group) for group in groups)
        return next(group for group in groups if math.isclose(self.weigh(group), best, rel_tol=1e-9))


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


def _make_weigher(weights: Mapping[str, float]) -> Weigher:
    return lambda ballots: sum(weights.get(ballot.member, 1.0) for ballot in ballots)


def _countable_ballots(ballots: Sequence[Ballot], ignore_blank: bool) -> list[Ballot]:
    answers = [ballot for ballot in ballots if not ballot.blank]
    return answers if ignore_blank and answers else list(ballots)


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
