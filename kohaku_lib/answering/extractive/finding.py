"""A value with its proof."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A value in output format, a verbatim quote, the quote's documents, and the probability that the value is right."""

    value: str
    quote: str
    document_ids: tuple[str, ...]
    confidence: float
