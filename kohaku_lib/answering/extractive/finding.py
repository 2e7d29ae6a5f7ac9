"""What a finder hands back: a value with the sentence that supports it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A candidate answer: its value as it is to be written, a verbatim quote, the quote's document, and a score.

    `confidence` is between 0 and 1; the finders' scores are not comparable with each other, confidences are.
    """

    value: str
    quote: str
    document_ids: tuple[str, ...]
    confidence: float
    score: float = 0.0
    support: float = 0.0  # of the quoted sentence, its share of the question's weight
    margin: float = 0.0  # of the score over that of the best other value; the score itself where there is none
