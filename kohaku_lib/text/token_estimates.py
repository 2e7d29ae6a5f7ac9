"""The length of a text in tokens, estimated without a tokenizer."""

from __future__ import annotations

CHARACTERS_PER_TOKEN = 4  # of English text


def estimated_tokens(text: str) -> int:
    """Return the length of `text` in tokens, estimated as characters / 4 rounded down, at least 1.

    >>> estimated_tokens("x" * 40), estimated_tokens("machine"), estimated_tokens("")
    (10, 1, 1)
    """
    return max(1, len(text) // CHARACTERS_PER_TOKEN)
