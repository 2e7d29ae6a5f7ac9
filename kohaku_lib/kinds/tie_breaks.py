"""The ways to break a tie that `ensemble.tie_break` names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kohaku_lib.registry import Registry, lazy

if TYPE_CHECKING:
    from kohaku_lib.settings import EnsembleSettings


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A choice among groups of answers with equal votes, for a question with this id; None leaves it blank.

    The groups are at least two, in the order of their earliest members.
    """

    name: str
    choose: Callable[[Sequence[Any], EnsembleSettings, str], Any]
    settings_keys: tuple[str, ...] = ()  # by dotted name
    is_deterministic: bool = True  # the same for the same answers, with any seed


TIE_BREAKS: Registry[TieBreak] = Registry("tie break")

TIE_BREAKS.register(TieBreak("first", lazy("kohaku_lib.evaluation.voting.tie_breaks:choose_first")))
TIE_BREAKS.register(TieBreak("blank", lazy("kohaku_lib.evaluation.voting.tie_breaks:choose_none")))
TIE_BREAKS.register(
    TieBreak("random", lazy("kohaku_lib.evaluation.voting.tie_breaks:draw"), ("ensemble.seed",), is_deterministic=False)
)
