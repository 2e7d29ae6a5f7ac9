"""Confidences as words."""

from __future__ import annotations

HIGH, MEDIUM = 0.8, 0.5


def confidence_level(score: float) -> str:
    """Return the word for a confidence from 0 to 1, as it is shown with two decimals.

    >>> [confidence_level(score) for score in (0.797, 0.5, 0.49)]
    ['high', 'medium', 'low']
    """
    shown = round(score, 2)
    return "high" if shown >= HIGH else "medium" if shown >= MEDIUM else "low"
