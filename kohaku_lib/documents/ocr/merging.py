"""Of what overlapping tiles have both read, one stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, TypeVar

MergeStrategy: TypeAlias = Literal["fuzzy", "concat", "vote"]
Item = TypeVar("Item")


def keep_first(tiles: Sequence[Sequence[Item]], same: Callable[[Item, Item], bool]) -> list[Item]:
    """Return the items of all tiles, in order, without those that are the `same` as one that is kept already.

    >>> keep_first([["a", "b"], ["b", "c"]], lambda a, b: a == b)
    ['a', 'b', 'c']
    """
    kept: list[Item] = []
    for tile in tiles:
        for item in tile:
            if not any(same(other, item) for other in kept):
                kept.append(item)
    return kept


def keep_best(
    tiles: Sequence[Sequence[Item]], confidences: Sequence[float], same: Callable[[Item, Item], bool]
) -> list[Item]:
    """Return one item of each group that is the `same`: that of the most confident tile, at the place of the first.

    >>> keep_best([["a", "b"], ["B", "c"]], [0.5, 0.9], lambda a, b: a.lower() == b.lower())
    ['a', 'B', 'c']
    """
    firsts: list[Item] = []
    best: list[tuple[float, Item]] = []
    for tile, confidence in zip(tiles, confidences, strict=True):
        for item in tile:
            place = next((index for index, first in enumerate(firsts) if same(first, item)), None)
            if place is None:
                firsts.append(item)
                best.append((confidence, item))
            elif confidence > best[place][0]:
                best[place] = (confidence, item)
    return [item for _, item in best]


def similarity(a: str, b: str) -> float:
    """Return how alike two lines are, in [0, 1]: twice their longest common subsequence over both lengths.

    >>> similarity("abcd", "abcx"), similarity("a", "b")
    (0.75, 0.0)
    """
    from rapidfuzz import fuzz

    return fuzz.ratio(a.strip(), b.strip()) / 100
