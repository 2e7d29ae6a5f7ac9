"""The result of a finder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A candidate answer: the value in output format, a verbatim quote, the quote's documents and a score.

    `confidence` is between 0 and 1 and comparable between finders; scores are not.
    """

    value: str
    quote: str
    document_ids: tuple[str, ...]
    confidence: float
    score: float = 0.0
    support: float = 0.0  # share of the question's weight that the quoted sentence covers
    margin: float = 0.0  # score minus that of the next best value; the score itself if there is none
