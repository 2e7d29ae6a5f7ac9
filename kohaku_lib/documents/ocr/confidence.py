"""Confidence of OCR results."""

from __future__ import annotations

from collections.abc import Sequence

from kohaku_lib.documents.ocr.engine import OcrLine

_PUNCTUATION = frozenset(".,;:!?'\"()[]-–—/%&’‘“”„«»$€£+=#@*°•·")
_SHORTEST, _SHORT, _MIDDLING = 10, 50, 100  # characters
_TOO_SHORT = 0.1


def text_confidence(text: str) -> float:
    """Return a heuristic confidence in [0, 1]: 0.8 × share of good characters + 0.2 × (1 − share of special ones).

    Good characters are letters, digits, white space and common punctuation; special ones are neither letter, digit nor
    white space. Texts below 50 characters are scaled by 0.7, below 100 by 0.85; below 10 give 0.1, blank text 0.

    >>> text_confidence("word " * 30), round(text_confidence("word " * 9), 2), text_confidence("§§")
    (1.0, 0.7, 0.1)
    """
    stripped = text.strip()
    if not stripped:
        return 0.0
    if len(stripped) < _SHORTEST:
        return _TOO_SHORT
    plain = sum(character.isalnum() or character.isspace() for character in stripped)
    good = plain + sum(character in _PUNCTUATION for character in stripped)
    value = 0.8 * good / len(stripped) + 0.2 * plain / len(stripped)
    if len(stripped) < _SHORT:
        value *= 0.7
    elif len(stripped) < _MIDDLING:
        value *= 0.85
    return min(1.0, max(0.0, value))


def lines_confidence(lines: Sequence[OcrLine]) -> float:
    """Return the mean confidence weighted by line length, or the text confidence if the engine reports none."""
    known = [(line.confidence, len(line.text)) for line in lines if line.confidence is not None]
    if not known:
        return text_confidence("\n".join(line.text for line in lines))
    return sum(confidence * letters for confidence, letters in known) / sum(letters for _, letters in known)


def tiles_confidence(confidences: Sequence[float]) -> float:
    """Return the mean of the positive confidences, 0 if there are none.

    >>> tiles_confidence([0.9, 0.0, 0.7])
    0.8
    """
    positive = [value for value in confidences if value > 0]
    return sum(positive) / len(positive) if positive else 0.0
