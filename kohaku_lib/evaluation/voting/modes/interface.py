"""The interfaces of ways to vote and of ways to break a tie, and the registries of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kohaku_lib.evaluation.voting.ballots import Ballot
from kohaku_lib.evaluation.voting.calibration import Calibration
from kohaku_lib.registry import Registry
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.values import BLANK


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


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A choice among groups of answers with equal votes, for a question with this id; None leaves it blank.

    The groups are at least two, in the order of their earliest members.
    """

    name: str
    choose: Callable[[Sequence[Any], EnsembleSettings, str], Any]
    settings_keys: tuple[str, ...] = ()  # by dotted name
    is_deterministic: bool = True  # the same for the same answers, with any seed


TIE_BREAKS: Registry[TieBreak] = Registry("tie break", folder=__package__)

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


@dataclass(frozen=True, slots=True)
class VoteOutcome:
    """The decisions by question, and the weights of the members: log-odds of a right answer, 1.0 if absent."""

    decisions: Mapping[str, Decision]
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class VoteMode:
    """A way to vote: `decide` looks at one question, `decide_all` (where there is one) at all of them together.

    `settings_keys` are the settings that the decisions depend on, by dotted name.
    """

    name: str
    decide: Callable[[Tally], Decision]
    decide_all: Callable[[Mapping[str, Sequence[Ballot]], Calibration | None], VoteOutcome] | None = None
    settings_keys: tuple[str, ...] = ("ensemble.tie_break", "ensemble.ignore_blank")
    drops_copies: bool = False  # a run that repeats another one is not counted
    order: int = 100  # in which modes are listed


VOTE_MODES: Registry[VoteMode] = Registry("vote mode", folder=__package__)
