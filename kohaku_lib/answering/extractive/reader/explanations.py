"""Questions that ask for reasons, ways or summaries, which a value does not answer but sentences do."""

from __future__ import annotations

import re


def asks_for_explanation(question: str) -> bool:
    """Return whether a question is answered by sentences: why, how something is done, a summary.

    >>> [asks_for_explanation(text) for text in ("Why was it closed?", "Summarise the policy.", "How long did it take?")]
    [True, True, False]
    """
    return _SUMMARY.match(question) is not None or _EXPLANATION.match(question) is not None


_SUMMARY = re.compile(
    r"\s*(?:(?:please\s+)?(?:summari[sz]e|describe|outline|explain)\b|what happened\b|fasse?\b.*\bzusammen\b"
    r"|beschreibe?\b|erkläre?\b|(?:give|write) (?:me )?an? (?:short |brief )?(?:summary|overview)\b)",
    re.IGNORECASE,
)
_EXPLANATION = re.compile(
    r"\s*(?:why|warum|weshalb|wieso|wozu|for what reason|what (?:is|was) the reason"
    r"|how (?:do|does|did|is|are|was|were|can|could|should|will|has|have)\b"
    r"|wie (?:wird|wurde|werden|wurden|funktioniert|kann))\b",
    re.IGNORECASE,
)
