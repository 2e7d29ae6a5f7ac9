"""The ways to vote that `ensemble.ref_mode` names: what becomes the value and the references of several answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohaku_lib.registry import Registry, lazy

if TYPE_CHECKING:
    from kohaku_lib.evaluation.voting.ballots import Ballot
    from kohaku_lib.evaluation.voting.calibration import Calibration
    from kohaku_lib.evaluation.voting.decide import Decision, Tally
    from kohaku_lib.evaluation.voting.decide_all import VoteOutcome


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


VOTE_MODES: Registry[VoteMode] = Registry("vote mode")

_MODULE = "kohaku_lib.evaluation.voting.decide"
VOTE_MODES.register(
    VoteMode(
        "expected_score",
        lazy(f"{_MODULE}:answer_priority"),
        lazy("kohaku_lib.evaluation.voting.decide_all:decide_by_expected_score"),
        settings_keys=(),
        drops_copies=True,
    )
)
VOTE_MODES.register(VoteMode("independent", lazy(f"{_MODULE}:independent")))
VOTE_MODES.register(VoteMode("ref_priority", lazy(f"{_MODULE}:ref_priority")))
VOTE_MODES.register(VoteMode("answer_priority", lazy(f"{_MODULE}:answer_priority")))
VOTE_MODES.register(VoteMode("union", lazy(f"{_MODULE}:union")))
VOTE_MODES.register(VoteMode("intersection", lazy(f"{_MODULE}:intersection")))
VOTE_MODES.register(VoteMode("majority", lazy(f"{_MODULE}:majority")))
VOTE_MODES.register(VoteMode("first_non_blank", lazy(f"{_MODULE}:first_non_blank")))
