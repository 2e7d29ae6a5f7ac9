"""Questions that ask for reasons, ways or summaries, which a value does not answer but sentences do."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.reader.passages import Passage

MOST_SENTENCES = 4  # of a summary


def asks_for_summary(question: str) -> bool:
    """Return whether a question wants more than one sentence.

    >>> asks_for_summary("Summarise the travel policy."), asks_for_summary("Why was it closed?")
    (True, False)
    """
    return _SUMMARY.match(question) is not None


def asks_for_explanation(question: str) -> bool:
    """Return whether a question is answered by sentences: why, how something is done, a summary.

    >>> [asks_for_explanation(text) for text in ("Why was it closed?", "How was it ended?", "How long did it take?")]
    [True, True, False]
    """
    return asks_for_summary(question) or _EXPLANATION.match(question) is not None


def gives_asked_reason(question: str, sentence: str) -> bool:
    """Return whether a question asks for a reason and a sentence gives one.

    >>> [gives_asked_reason(text, "It closed because of rain.") for text in ("Why did it close?", "How did it close?")]
    [True, False]
    """
    return _WHY.match(question) is not None and _REASON.search(sentence) is not None


def summary_of(passage: Passage) -> str:
    """Return the first sentences of a passage as they stand in the document."""
    return " ".join(line.quote for line in passage.lines[:MOST_SENTENCES])


_SUMMARY = re.compile(
    r"\s*(?:(?:please\s+)?(?:summari[sz]e|describe|outline|explain)\b|what happened\b|fasse?\b.*\bzusammen\b"
    r"|beschreibe?\b|erkläre?\b|(?:give|write) (?:me )?an? (?:short |brief )?(?:summary|overview)\b)",
    re.IGNORECASE,
)
_WHY = re.compile(r"\s*(?:why|warum|weshalb|wieso|for what reason|what (?:is|was) the reason)\b", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|since (?!\w* ?\d)|so that|due to|owing to|therefore|hence|as a result|in order to|the reason|to avoid"
    r"|weil|da (?:die|der|das|es|wir|sie|er)|damit|wegen|aufgrund|deshalb|daher)\b",
    re.IGNORECASE,
)
_EXPLANATION = re.compile(
    r"\s*(?:why|warum|weshalb|wieso|wozu|for what reason|what (?:is|was) the reason"
    r"|how (?:do|does|did|is|are|was|were|can|could|should|will|has|have)\b"
    r"|wie (?:wird|wurde|werden|wurden|funktioniert|kann))\b",
    re.IGNORECASE,
)
