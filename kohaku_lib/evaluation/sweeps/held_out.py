"""Questions that have no say in which cell of a sweep is best."""

from __future__ import annotations

from kohaku_lib.digests import text_sha256


def is_held_out(question: str, share: float) -> bool:
    """Return whether the question of that id is held out where `share` of all are: always the same ones.

    >>> sum(is_held_out(f"q{number}", 0.3) for number in range(1000))
    299
    """
    return int(text_sha256(question)[:8], 16) < share * 2**32
