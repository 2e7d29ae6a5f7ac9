"""What is compared with what, and what is rejected for something else."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.text import content_stems


def sides_swapped(claim: str, evidence: str) -> bool:
    """Say whether both compare the same two things, the one before the word of comparison and the one after it exchanged.

    >>> sides_swapped("Small models use more energy than large models.", "Large models use more energy than small ones.")
    True
    >>> sides_swapped("Small models use more than large ones.", "Small models use more energy compared to large ones.")
    False
    """
    one, other = _sides(claim), _sides(evidence)
    if one is None or other is None:
        return False
    crossed = one[0] & other[1] and one[1] & other[0]
    return bool(crossed) and not one[1] & other[1]


def takes_the_other(claim: str, evidence: str) -> bool:
    """Say whether the evidence speaks of what the claim rejects by "rather than", and not of what it prefers.

    >>> takes_the_other("It uses air rather than water.", "It uses water."), takes_the_other("It uses air.", "It uses water.")
    (True, False)
    """
    match = _RATHER.search(claim)
    if match is None:
        return False
    preferred, rejected = content_stems(claim[: match.start()])[-4:], content_stems(claim[match.end() :])[:4]
    said = frozenset(content_stems(evidence))
    wanted = [stem for stem in preferred if stem not in rejected]
    unwanted = frozenset(rejected) - frozenset(preferred)
    if not wanted or not unwanted or wanted[-1] in said:
        return False
    return 2 * len(unwanted & said) > len(unwanted)


_COMPARED = re.compile(
    r"\b(?:than(?! [~$]?\d)|compared (?:to|with)|in comparison (?:to|with)|relative to|versus|vs\.?|outperform\w*|exceed\w*|"
    r"surpass\w*)(?!\w)",
    re.IGNORECASE,
)
_RATHER = re.compile(r"\b(?:rather than|instead of|as opposed to)\b", re.IGNORECASE)
_COMPANY = 6  # content words after the word of comparison


def _sides(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the stems that stand only before and only after the word of comparison, None where there is none."""
    match = _COMPARED.search(text)
    if match is None:
        return None
    before, after = frozenset(content_stems(text[: match.start()])), content_stems(text[match.end() :])
    return before.difference(after), frozenset(after[:_COMPANY]) - before
