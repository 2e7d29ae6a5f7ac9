"""Comparisons and rejected alternatives."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.text import content_stems


def is_comparison_reversed(claim: str, evidence: str) -> bool:
    """Return whether both texts compare the same two things in opposite order.

    >>> is_comparison_reversed("Small models use more energy than large models.", "Large models use more energy than small ones.")
    True
    >>> is_comparison_reversed("Small models use more than large ones.", "Small models use more energy compared to large ones.")
    False
    """
    one, other = _comparison_operands(claim), _comparison_operands(evidence)
    if one is None or other is None:
        return False
    crossed = one[0] & other[1] and one[1] & other[0]
    return bool(crossed) and not one[1] & other[1]


def asserts_rejected(claim: str, evidence: str) -> bool:
    """Return whether the evidence asserts what the claim rejects by "rather than", and not what it prefers.

    >>> asserts_rejected("It uses air rather than water.", "It uses water."), asserts_rejected("It uses air.", "It uses water.")
    (True, False)
    """
    match = _RATHER.search(claim)
    if match is None:
        return False
    preferred, rejected = content_stems(claim[: match.start()])[-4:], content_stems(claim[match.end() :])[:4]
    stated = frozenset(content_stems(evidence))
    wanted = [stem for stem in preferred if stem not in rejected]
    unwanted = frozenset(rejected) - frozenset(preferred)
    if not wanted or not unwanted or wanted[-1] in stated:
        return False
    return 2 * len(unwanted & stated) > len(unwanted)


_COMPARED = re.compile(
    r"\b(?:than(?! [~$]?\d)|compared (?:to|with)|in comparison (?:to|with)|relative to|versus|vs\.?|outperform\w*|exceed\w*|"
    r"surpass\w*)(?!\w)",
    re.IGNORECASE,
)
_RATHER = re.compile(r"\b(?:rather than|instead of|as opposed to)\b", re.IGNORECASE)
_WINDOW = 6  # content words after the word of comparison


def _comparison_operands(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the stems only before and only after the comparison word, None if there is none."""
    match = _COMPARED.search(text)
    if match is None:
        return None
    before, after = frozenset(content_stems(text[: match.start()])), content_stems(text[match.end() :])
    return before.difference(after), frozenset(after[:_WINDOW]) - before
