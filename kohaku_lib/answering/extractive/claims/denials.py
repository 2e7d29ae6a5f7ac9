"""Negation by prefixes and diminishers: "unevenly", "less saturated", "hardly"."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.text import carries_content, tokens_of


def is_negated_by_prefix(claim: str, evidence: str) -> bool:
    """Return whether one text has a word that the other has with a negating prefix.

    >>> is_negated_by_prefix("It is evenly spread.", "It is unevenly spread."), is_negated_by_prefix("It is even.", "It is even.")
    (True, False)
    """
    claimed, stated = _stem_set(claim), _stem_set(evidence)
    return _has_negated_stem(claimed, stated) or _has_negated_stem(stated, claimed)


def is_diminished(claim: str, evidence: str) -> bool:
    """Return whether one text weakens a word ("less", "hardly") that the other uses unweakened, except in comparisons.

    >>> is_diminished("It gets less busy.", "It gets busy at night."), is_diminished("It gets busy.", "It gets busy.")
    (True, False)
    """
    if _THAN.search(claim) or _THAN.search(evidence):
        return False
    claimed, stated = _diminished_stems(claim), _diminished_stems(evidence)
    return bool((claimed - stated) & _stem_set(evidence) or (stated - claimed) & _stem_set(claim))


_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "de", "mis", "under")
_MIN_STEM_LETTERS = 4  # letters after the prefix
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_LESS = re.compile(
    r"\b(?:less|least|hardly|barely|rarely|seldom|scarcely|insufficiently|poorly)\s+(\w+)", re.IGNORECASE
)


def _stem_set(text: str) -> frozenset[str]:
    return frozenset(token.stem for token in tokens_of(text) if carries_content(token.surface))


def _has_negated_stem(ones: frozenset[str], others: frozenset[str]) -> bool:
    return any(
        stem.startswith(prefix)
        and len(rest := stem[len(prefix) :].removeprefix("-")) >= _MIN_STEM_LETTERS
        and rest in others
        and stem not in others
        and rest not in ones
        for stem in ones
        for prefix in _PREFIXES
    )


def _diminished_stems(text: str) -> frozenset[str]:
    return frozenset(token.stem for match in _LESS.finditer(text) for token in tokens_of(match.group(1))) - {"than"}
