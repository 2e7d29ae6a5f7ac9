"""The texts of overlapping tiles as one: what two tiles have both read stays once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, TypeVar

MergeStrategy: TypeAlias = Literal["fuzzy", "concat", "vote"]
Item = TypeVar("Item")

_WINDOW_LINES = 10


def merge_texts(texts: Sequence[str], confidences: Sequence[float], strategy: MergeStrategy, ratio: float) -> str:
    r"""Return the texts of tiles, which stand in reading order, as one text.

    concat joins those that are not blank by a blank line. fuzzy leaves out a line whose similarity with one of the
    last 10 kept lines reaches `ratio`. vote groups similar lines and keeps the one from the tile with the highest
    confidence, at the place of the first. Blank lines are dropped by the last two.

    >>> merge_texts(["One fine day\nin May", "in Moy\nwe went"], [0.7, 0.9], "fuzzy", 0.8)
    'One fine day\nin May\nwe went'
    >>> merge_texts(["One fine day\nin May", "in Moy\nwe went"], [0.7, 0.9], "vote", 0.8)
    'One fine day\nin Moy\nwe went'
    """
    if strategy == "concat":
        return "\n\n".join(text.strip() for text in texts if text.strip())
    tiles = [[line for line in text.splitlines() if line.strip()] for text in texts]

    def same(a: str, b: str) -> bool:
        return similarity(a, b) >= ratio

    if strategy == "fuzzy":
        return "\n".join(keep_first(tiles, same, _WINDOW_LINES))
    return "\n".join(keep_best(tiles, confidences, same))


def keep_first(
    tiles: Sequence[Sequence[Item]], same: Callable[[Item, Item], bool], window: int | None = None
) -> list[Item]:
    """Return the items of all tiles, in order, without those that are the `same` as one of the last `window` kept.

    >>> keep_first([["a", "b"], ["b", "c"]], lambda a, b: a == b)
    ['a', 'b', 'c']
    """
    kept: list[Item] = []
    for tile in tiles:
        for item in tile:
            recent = kept if window is None else kept[-window:]
            if not any(same(other, item) for other in recent):
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
