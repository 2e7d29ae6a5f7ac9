"""Blank answer values."""

from __future__ import annotations

BLANK = "is_blank"

_TOKENS = frozenset({"", BLANK, "na", "n/a", "null", "none", "nan"})
_REFUSAL = "unable to answer with confidence"


def is_blank(text: str | None) -> bool:
    """Return whether `text` means "no value": None, a blank token, or a text that begins with the refusal.

    >>> [is_blank(text) for text in ("", " N/A ", "is_blank", "Unable to answer with confidence based on ...", "0")]
    [True, True, True, True, False]
    """
    if text is None:
        return True
    folded = text.strip().lower()
    return folded in _TOKENS or folded.startswith(_REFUSAL)
