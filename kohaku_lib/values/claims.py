"""Questions that ask whether a claim is true, by their opening words."""

from __future__ import annotations

import re

_PREFIX = re.compile(
    r"^\W*(?:true\s*(?:or|/)\s*false|t\s*/\s*f|yes\s+or\s+no|(?:richtig|wahr)\s+oder\s+falsch|ja\s+oder\s+nein)\b"
    r"['’”)]?[\s:?.,–—-]*",
    re.IGNORECASE,
)


def is_claim(question: str) -> bool:
    """Return whether `question` begins with "True or False", "true/false", "T/F" or "Yes or no", also in German.

    >>> [is_claim(text) for text in ("T/F: it rains.", "Richtig oder falsch: es regnet.", "Is it true that it rains?")]
    [True, True, False]
    """
    return _PREFIX.match(question) is not None


def strip_claim_prefix(question: str) -> str:
    """Return `question` without the opening by which `is_claim` recognises it.

    >>> strip_claim_prefix("True or false: it rains."), strip_claim_prefix("Does it rain?")
    ('it rains.', 'Does it rain?')
    """
    return _PREFIX.sub("", question)
