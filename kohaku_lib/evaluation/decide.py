"""The vote on one question: which value, which references, and whose words go with them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kohaku_lib.digests import digest
from kohaku_lib.evaluation.ballots import Ballot
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.values import BLANK, group_equal, is_blank, values_equal, voting_key

REF_FIRST = "ref_priority"


@dataclass(frozen=True, slots=True)
class Decision:
    """The winning value and references, the first ballot that holds them (None where blank), and the agreement.

    `agreement` is the share of the counted weight that stands behind the value; 0.0 where nothing was counted or a tie
    was left blank. `probability` is that of the value to be right, None where the mode estimates none.
    """

    value: str
    refs: tuple[str, ...]
    base: Ballot | None
    agreement: float
    probability: float | None = None


def decide(
    ballots: Sequence[Ballot],
    settings: EnsembleSettings,
    question_id: str = "",
    weights: Mapping[str, float] | None = None,
) -> Decision:
    """Return what the `ballots` on one question, in the order of the members, decide under `settings`.

    Values that agree (0.1 %, ranges, booleans, case) are one; references are sets. A tie for the first place of
    the vote that comes first (values, or references under ref_priority) goes to the earliest member, to a blank
    row, or to a draw by seed and question; later ties go to the earliest. Members weigh 1.0 unless `weights`
    says otherwise. Where the first place is blank the references are empty.

    >>> ballots = [Ballot("a", "80", ("x",)), Ballot("b", "is_blank"), Ballot("c", "80.0", ("y",)), Ballot("d", "7")]
    >>> decide(ballots, EnsembleSettings(ref_mode="union", ignore_blank=True)).refs
    ('x', 'y')
    """
    weigh = _weigher(weights or {})
    counted = _counted(ballots, settings.ignore_blank)
    if not counted:
        return Decision(BLANK, (), None, 0.0)
    matching = _matching(counted, settings, question_id, weigh)
    if matching is None:
        return Decision(BLANK, (), None, 0.0)
    value = _spelling(matching)
    agreement = weigh([ballot for ballot in counted if values_equal(value, ballot.value)]) / (weigh(counted) or 1.0)
    if is_blank(value):
        return Decision(BLANK, (), None, agreement)
    refs = _refs(settings.ref_mode, counted, matching, weigh)
    base = next((ballot for ballot in matching if _ref_set(ballot) == _fold(refs)), matching[0])
    return Decision(value, refs, base, agreement)


Weigher = Callable[[Sequence[Ballot]], float]


def _weigher(weights: Mapping[str, float]) -> Weigher:
    return lambda ballots: sum(weights.get(ballot.member, 1.0) for ballot in ballots)


def _counted(ballots: Sequence[Ballot], ignore_blank: bool) -> list[Ballot]:
    answered = [ballot for ballot in ballots if not ballot.blank]
    return answered if ignore_blank and answered else list(ballots)


def _matching(
    counted: Sequence[Ballot], settings: EnsembleSettings, question_id: str, weigh: Weigher
) -> list[Ballot] | None:
    """The ballots that hold the winning value (and references, where those were voted first); None for a blank tie."""
    if settings.ref_mode == "first_non_blank":
        return [next((ballot for ballot in counted if not ballot.blank), counted[0])]
    if settings.ref_mode == REF_FIRST:
        cited = _first_place(_by_refs(counted, settings.ignore_blank), settings, question_id, weigh)
        return None if cited is None else _heaviest(_by_value(cited), weigh)
    return _first_place(_by_value(counted), settings, question_id, weigh)


def _first_place(
    groups: Sequence[list[Ballot]], settings: EnsembleSettings, question_id: str, weigh: Weigher
) -> list[Ballot] | None:
    best = max(weigh(group) for group in groups)
    tied = [group for group in groups if math.isclose(weigh(group), best, rel_tol=1e-9)]
    if len(tied) == 1 or settings.tie_break == "first":
        return tied[0]
    if settings.tie_break == "blank":
        return None
    return tied[int(digest([settings.seed, question_id]), 16) % len(tied)]


def _heaviest(groups: Sequence[list[Ballot]], weigh: Weigher) -> list[Ballot]:
    best = max(weigh(group) for group in groups)
    return next(group for group in groups if math.isclose(weigh(group), best, rel_tol=1e-9))


def _by_value(ballots: Sequence[Ballot]) -> list[list[Ballot]]:
    return [[ballots[place] for place in group] for group in group_equal([ballot.value for ballot in ballots])]


def _by_refs(ballots: Sequence[Ballot], drop_empty: bool = True) -> list[list[Ballot]]:
    cited = [ballot for ballot in ballots if ballot.refs] if drop_empty else []
    groups: dict[frozenset[str], list[Ballot]] = {}
    for ballot in cited or ballots:
        groups.setdefault(_ref_set(ballot), []).append(ballot)
    return list(groups.values())


def _refs(mode: str, counted: Sequence[Ballot], matching: Sequence[Ballot], weigh: Weigher) -> tuple[str, ...]:
    if mode == "union":
        return _union(matching)
    if mode == "majority_all_refs":
        return _union(counted)
    if mode == "intersection":
        return _intersection(matching) or _heaviest(_by_refs(matching), weigh)[0].refs
    return _heaviest(_by_refs(counted if mode == "independent" else matching), weigh)[0].refs


def _union(ballots: Sequence[Ballot]) -> tuple[str, ...]:
    first_seen: dict[str, str] = {}
    for ballot in ballots:
        for ref in ballot.refs:
            first_seen.setdefault(ref.lower(), ref)
    return tuple(first_seen.values())


def _intersection(ballots: Sequence[Ballot]) -> tuple[str, ...]:
    cited = [ballot for ballot in ballots if ballot.refs]
    if not cited:
        return ()
    common = frozenset.intersection(*(_ref_set(ballot) for ballot in cited))
    return tuple(ref for ref in cited[0].refs if ref.lower() in common)


def _spelling(matching: Sequence[Ballot]) -> str:
    """The value that most of them write, the earliest among equals: 55.56 and 55.6 agree, yet one must be given."""
    key = Counter(voting_key(ballot.value) for ballot in matching).most_common(1)[0][0]
    return next(ballot.value for ballot in matching if voting_key(ballot.value) == key)


def _ref_set(ballot: Ballot) -> frozenset[str]:
    return _fold(ballot.refs)


def _fold(refs: Sequence[str]) -> frozenset[str]:
    return frozenset(ref.lower() for ref in refs)
