"""Merge OCR lines of overlapping tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal, TypeAlias, TypeVar

from kohaku_lib.documents.ocr.confidence import lines_confidence
from kohaku_lib.documents.ocr.engine import OcrLine, corners_of
from kohaku_lib.documents.ocr.tiling import Tile

_SAME_PLACE = 0.6  # share of the smaller box in common to two results of one line
_SAME_ROW = 0.5  # share of the lower line's height
_BORDER_PX = 3
_SLACK = 1.6  # factor by which the common text of two halves may exceed the overlap's width
_LEAST_COMMON = 2  # characters
_RECENT = 10  # lines
MergeStrategy: TypeAlias = Literal["fuzzy", "last_ten", "concat", "vote"]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class TileLines:
    """The lines of one tile, with corners in the coordinates of the whole image."""

    tile: Tile
    lines: tuple[OcrLine, ...]


def stitch_tiles(
    tiles: Sequence[TileLines], size: tuple[int, int], strategy: MergeStrategy, ratio: float
) -> list[OcrLine]:
    """Return the lines of an image of `size` (width, height) from those of its tiles in reading order.

    "concat" returns all of them; "last_ten" drops a line that is similar to one of the ten that it kept last, wherever it
    stands, and blank ones. The other strategies drop lines cut by the upper or lower border of a tile, drop one of
    two similar lines in the same place ("fuzzy" keeps the first, "vote" that of the more confident tile), and join the
    halves of a line cut by a left or right border.
    """
    if strategy == "concat" or len(tiles) < 2:
        return [line for tile in tiles for line in tile.lines]
    if strategy == "last_ten":
        lines = [line for tile in tiles for line in tile.lines if line.text.strip()]
        return keep_unlike_recent(lines, lambda a, b: similarity(a.text, b.text) >= ratio)
    pieces = [[line for line in tile.lines if not _is_cut(line, tile.tile, size[1])] for tile in tiles]

    def same(a: OcrLine, b: OcrLine) -> bool:
        return _common_area(a, b) >= _SAME_PLACE and similarity(a.text, b.text) >= ratio

    if strategy == "vote":
        distinct = keep_best(pieces, [lines_confidence(tile.lines) for tile in tiles], same)
    else:
        distinct = keep_first(pieces, same)
    return _merge_overlapping(distinct)


def join_texts(left: str, right: str, common_letters: float) -> str:
    """Return the text of a line from its halves, which overlap by about `common_letters` characters.

    They are merged at the longest common substring of the end of `left` and the start of `right`; characters beyond it
    on either side belong to a letter cut in two and are dropped.

    >>> join_texts("a state-of-the-a|", "~f-the-art tool", 8)
    'a state-of-the-art tool'
    """
    reach = max(_LEAST_COMMON, round(_SLACK * common_letters) + 1)
    tail, head = left[-reach:], right[:reach]
    match = SequenceMatcher(None, tail, head, autojunk=False).find_longest_match()
    if match.size < _LEAST_COMMON:
        return f"{left} {right}"
    return left[: len(left) - len(tail) + match.a] + right[match.b :]


def _is_cut(line: OcrLine, tile: Tile, height: int) -> bool:
    """Return whether the line touches an inner upper or lower border; the adjacent tile then contains all of it."""
    if line.height > (tile.y1 - tile.y0) / 8:
        return False
    above = tile.y0 > 0 and line.y0 <= tile.y0 + _BORDER_PX
    below = tile.y1 < height and line.y1 >= tile.y1 - _BORDER_PX
    return above or below


def _merge_overlapping(lines: Sequence[OcrLine]) -> list[OcrLine]:
    """Return the lines with the overlapping ones of a row merged."""
    merged: list[OcrLine] = []
    for line in sorted(lines, key=lambda line: (line.x0, line.y0)):
        place = next((index for index, other in enumerate(merged) if _overlap_in_row(other, line)), None)
        if place is None:
            merged.append(line)
        else:
            merged[place] = _join_halves(merged[place], line)
    return merged


def _overlap_in_row(left: OcrLine, right: OcrLine) -> bool:
    rows = min(left.y1, right.y1) - max(left.y0, right.y0)
    columns = min(left.x1, right.x1) - max(left.x0, right.x0)
    return rows >= _SAME_ROW * min(left.height, right.height) and columns > 0.25 * min(left.height, right.height)


def _join_halves(left: OcrLine, right: OcrLine) -> OcrLine:
    """Return both halves as one line, or the wider one if it contains the other."""
    common = min(left.x1, right.x1) - right.x0
    if right.x1 <= left.x1 or common >= 0.9 * right.width:
        return left
    if common >= 0.9 * left.width:
        return right
    text = join_texts(left.text, right.text, common * len(right.text) / right.width)
    corners = corners_of(left.x0, min(left.y0, right.y0), right.x1, max(left.y1, right.y1))
    known = [value for value in (left.confidence, right.confidence) if value is not None]
    return replace(left, text=text, corners=corners, confidence=min(known, default=None))


def _common_area(a: OcrLine, b: OcrLine) -> float:
    """Return the share of the smaller rectangle inside the other one."""
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    smaller = min(a.width * a.height, b.width * b.height)
    return width * height / smaller if width > 0 and height > 0 and smaller > 0 else 0.0


def keep_first(tiles: Sequence[Sequence[Item]], same: Callable[[Item, Item], bool]) -> list[Item]:
    """Return the items of all tiles, in order, without those that are the `same` as an earlier one.

    >>> keep_first([["a", "b"], ["b", "c"]], lambda a, b: a == b)
    ['a', 'b', 'c']
    """
    distinct: list[Item] = []
    for tile in tiles:
        for item in tile:
            if not any(same(other, item) for other in distinct):
                distinct.append(item)
    return distinct


def keep_unlike_recent(items: Sequence[Item], same: Callable[[Item, Item], bool]) -> list[Item]:
    """Return the items, in order, without those that are the `same` as one of the ten kept before them.

    >>> "".join(keep_unlike_recent("abcaxxdefghijka", lambda a, b: a == b))
    'abcxdefghijka'
    """
    kept: list[Item] = []
    for item in items:
        if not any(same(other, item) for other in kept[-_RECENT:]):
            kept.append(item)
    return kept


def keep_best(
    tiles: Sequence[Sequence[Item]], confidences: Sequence[float], same: Callable[[Item, Item], bool]
) -> list[Item]:
    """Return one item of each group of the `same` items: that of the most confident tile, at the first one's position.

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
    """Return the similarity of two lines in [0, 1]: twice their longest common subsequence over both lengths.

    >>> similarity("abcd", "abcx"), similarity("a", "b")
    (0.75, 0.0)
    """
    from rapidfuzz import fuzz

    return fuzz.ratio(a.strip(), b.strip()) / 100
