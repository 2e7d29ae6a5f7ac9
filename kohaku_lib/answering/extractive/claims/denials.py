"""Words that turn what they stand before, or are built into: "unevenly", "less saturated", "hardly"."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.text import carries_content, tokens_of


def prefix_denies(claim: str, evidence: str) -> bool:
    """Say whether one text has a word for which the other has the same with a prefix that turns it.

    >>> prefix_denies("It is evenly spread.", "It is unevenly spread."), prefix_denies("It is even.", "It is even.")
    (True, False)
    """
    ours, theirs = _stems(claim), _stems(evidence)
    return _turned(ours, theirs) or _turned(theirs, ours)


def toned_down(claim: str, evidence: str) -> bool:
    """Say whether one text says "less" of a word that the other says without any such word, comparisons aside.

    >>> toned_down("It gets less busy.", "It gets busy at night."), toned_down("It gets busy.", "It gets busy.")
    (True, False)
    """
    if _THAN.search(claim) or _THAN.search(evidence):
        return False
    ours, theirs = _lessened(claim), _lessened(evidence)
    return bool((ours - theirs) & _stems(evidence) or (theirs - ours) & _stems(claim))


_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "de", "mis", "under")
_LEAST_LEFT = 4  # letters of a word behind its prefix
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_LESS = re.compile(
    r"\b(?:less|least|hardly|barely|rarely|seldom|scarcely|insufficiently|poorly)\s+(\w+)", re.IGNORECASE
)


def _stems(text: str) -> frozenset[str]:
    return frozenset(token.stem for token in tokens_of(text) if carries_content(token.surface))


def _turned(ones: frozenset[str], others: frozenset[str]) -> bool:
    return any(
        stem.startswith(prefix)
        and len(rest := stem[len(prefix) :].removeprefix("-")) >= _LEAST_LEFT
        and rest in others
        and stem not in others
        and rest not in ones
        for stem in ones
        for prefix in _PREFIXES
    )


def _lessened(text: str) -> frozenset[str]:
    return frozenset(token.stem for match in _LESS.finditer(text) for token in tokens_of(match.group(1))) - {"than"}
