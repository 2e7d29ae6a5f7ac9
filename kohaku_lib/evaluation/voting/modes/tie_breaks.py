"""Tie-breaking among groups of answers with equal votes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from kohaku_lib.digests import digest
from kohaku_lib.evaluation.voting.modes.interface import TIE_BREAKS, TieBreak
from kohaku_lib.settings import EnsembleSettings

Group = TypeVar("Group")


def choose_first(groups: Sequence[Group], settings: EnsembleSettings, question_id: str) -> Group:
    """Return the group of the earliest member."""
    return groups[0]


def choose_none(groups: Sequence[Group], settings: EnsembleSettings, question_id: str) -> None:
    """Leave the question blank."""


def draw(groups: Sequence[Group], settings: EnsembleSettings, question_id: str) -> Group:
    """Return a random group, determined by the seed and the question."""
    return groups[int(digest([settings.seed, question_id]), 16) % len(groups)]


TIE_BREAKS.register(TieBreak("first", choose_first))
TIE_BREAKS.register(TieBreak("blank", choose_none))
TIE_BREAKS.register(TieBreak("random", draw, ("ensemble.seed",), is_deterministic=False))
