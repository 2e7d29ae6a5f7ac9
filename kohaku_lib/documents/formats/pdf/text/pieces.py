"""Split text lines that contain several table cells at wide gaps."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

_CELLS = re.compile(r"(?:\d|\s[$€£¥—–]|\)).*\s[$€£¥(—–-]*\s*\d|\d\S*\s+[$€£¥—]\s*\Z")
_LEAST_GAP_EM = 0.75
_CURRENCY = re.compile(r"(?:US)?[$€£¥]\Z")
_SIGN = re.compile(r"[\d$€£¥—–%()-]")

Word = tuple[float, float, float, float, str]


def words_by_line(words: Iterable[Any], wanted: Collection[tuple[int, int]]) -> dict[tuple[int, int], list[Word]]:
    """Return the words of the `wanted` lines of a text page; keys are (block, line).

    Each word is x0, y0, x1, y1, text, block, line and position.
    """
    words_by_key: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        if (key := word[5:7]) in wanted:
            words_by_key.setdefault(key, []).append(word[:5])
    return words_by_key


def may_contain_cells(text: str) -> bool:
    """Return whether a line may contain the numbers of several columns.

    >>> may_contain_cells("(34) $ 12,668 $"), may_contain_cells("Total assets 12")
    (True, False)
    """
    return _CELLS.search(text) is not None


def split_at_gaps(words: Sequence[Word], size: float) -> Iterator[Word]:
    """Yield the pieces of a line split at gaps of 0.75 × `size` beside a number, and at a currency sign after a number.

    >>> [piece[4] for piece in split_at_gaps([(0, 0, 9, 9, "(34)"), (30, 0, 34, 9, "$"), (36, 0, 60, 9, "12,668")], 10)]
    ['(34)', '$ 12,668']
    """
    group = [words[0]]
    for before, word in pairwise(words):
        wide = word[0] - before[2] > _LEAST_GAP_EM * size and (_SIGN.match(word[4]) or _SIGN.match(before[4]))
        if wide or (_CURRENCY.match(word[4]) and before[4][-1] in "0123456789)—–%"):
            yield _merge_words(group)
            group = []
        group.append(word)
    yield _merge_words(group)


def _merge_words(words: Sequence[Word]) -> Word:
    return (
        words[0][0],
        min(word[1] for word in words),
        words[-1][2],
        max(word[3] for word in words),
        " ".join(word[4] for word in words),
    )
