"""Held-out questions, which are not used to choose the best cell of a sweep."""

from __future__ import annotations

from kohaku_lib.digests import text_sha256


def is_held_out(question: str, share: float) -> bool:
    """Return whether the question id is held out, deterministically, if `share` of all questions are.

    >>> sum(is_held_out(f"q{number}", 0.3) for number in range(1000))
    299
    """
    return int(text_sha256(question)[:8], 16) < share * 2**32
