"""Lines that strike out words of a PDF page, and the text without these words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

_LEAST_COVERED = 0.5  # of the width of a letter or word


class Strike(NamedTuple):
    """A horizontal line through the words `text`, in points."""

    x0: float
    x1: float
    y: float
    text: str = ""

    def goes_through(self, box: Sequence[float]) -> bool:
        """Return whether the line covers half of a letter or word at least, in the middle third of its height.

        >>> line = Strike(10, 20, 5)
        >>> line.goes_through((10, 0, 18, 10)), line.goes_through((10, -7, 18, 5.5)), line.goes_through((17, 0, 27, 10))
        (True, False, False)
        """
        x0, y0, x1, y1 = box[:4]
        covered = min(self.x1, x1) - max(self.x0, x0)
        return covered >= max(0.0, _LEAST_COVERED * (x1 - x0)) and abs(2 * self.y - y0 - y1) * 3 <= y1 - y0


def without_struck_words(words: Iterable[Any], strikes: Sequence[Strike], instead: str = "") -> list[Any]:
    """Return the words of a text page without those that are struck out, or with a text in their places."""
    return [
        (*word[:4], instead, *word[5:]) if is_struck else word
        for word in words
        if not (is_struck := any(strike.goes_through(word) for strike in strikes)) or instead
    ]


def drop_struck_letters(blocks: Sequence[dict[str, Any]], source: Any, strikes: Sequence[Strike]) -> None:
    """Take the letters that are struck out from `blocks`, MuPDF's dictionary of the text page `source`, in place."""
    detailed: Any = source.extractRAWDICT()["blocks"] if strikes else ()
    for block, raw_block in zip(blocks if strikes else (), detailed, strict=True):
        for line, raw_line in zip(block["lines"], raw_block["lines"], strict=True):
            for span, raw in zip(line["spans"], raw_line["spans"], strict=True):
                kept = "".join(one["c"] for one in raw["chars"] if not _is_struck(one, strikes))
                if len(kept) < len(raw["chars"]):
                    span["text"] = kept


def _is_struck(letter: dict[str, Any], strikes: Sequence[Strike]) -> bool:
    return not letter["c"].isspace() and any(strike.goes_through(letter["bbox"]) for strike in strikes)
