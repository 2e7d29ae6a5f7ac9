"""What is left of struck-out text in the text around it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby


def remainder(struck: str, after: str) -> str:
    """Return what stands in place of struck-out text: a blank if it has one at an edge and words follow, else nothing.

    >>> remainder(" 24 ", "36 people"), remainder("24", " 36 people"), remainder(" daily", ".")
    (' ', '', '')
    """
    return " " if struck != struck.strip() and (not after or after[0].isalnum()) else ""


def without_struck(pieces: Iterable[tuple[str, bool]]) -> tuple[str, list[str]]:
    """Return the text of pieces, each with whether it is struck out, without those that are, and their texts.

    >>> without_struck([("It holds ", False), ("2", True), ("4", True), (" 36.", False)])
    ('It holds  36.', ['24'])
    """
    runs = [
        ("".join(text for text, _ in run), key) for key, run in groupby((one for one in pieces if one[0]), _is_struck)
    ]
    kept = [
        remainder(text, runs[at + 1][0] if at + 1 < len(runs) else "") if is_struck else text
        for at, (text, is_struck) in enumerate(runs)
    ]
    struck = [" ".join(text.split()) for text, is_struck in runs if is_struck and text.strip()]
    return "".join(kept), struck


def _is_struck(piece: tuple[str, bool]) -> bool:
    return piece[1]
