"""What the intent of a question suggests for its retrieval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

RELATED_SHARE = 0.2  # of the context, for paragraphs that share entities with those that were found


@dataclass(frozen=True, slots=True)
class IntentHints:
    """Results of the context, weight of relevance against novelty (None: no diversification), and least cosine.

    `use_cot` lets a chat model note its steps, `use_kg` adds paragraphs that share entities with those that were found.
    """

    top_k: int
    mmr: float | None
    threshold: float
    use_cot: bool = False
    use_kg: bool = False


HINTS: Mapping[str, IntentHints] = {
    "FACTUAL": IntentHints(6, None, 0.40),
    "ANALYTICAL": IntentHints(8, 0.8, 0.35, use_cot=True, use_kg=True),
    "COMPARISON": IntentHints(10, 0.6, 0.35, use_cot=True, use_kg=True),
    "SUMMARY": IntentHints(12, 0.7, 0.30),
    "LIST": IntentHints(15, None, 0.30),
}


def hints_for(intent: str | None) -> IntentHints | None:
    """Return the hints of an intent; None for one that is unknown.

    >>> hints_for("COMPARISON")
    IntentHints(top_k=10, mmr=0.6, threshold=0.35, use_cot=True, use_kg=True)
    """
    return HINTS.get(intent or "")
