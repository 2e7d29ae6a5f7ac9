"""A sentence or row with what stands around it, short enough to be read at a glance."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kohaku_lib.answering.extractive.reader.model import Span
from kohaku_lib.answering.extractive.reader.passages import Cell, Line, Passage

MOST_CHARS = 300


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text of at most 300 characters, and the offsets in it of the words that answer."""

    text: str
    marked: tuple[int, int]


def excerpt_of(passage: Passage, line: Line, span: Span | None) -> Excerpt:
    """Return a line with the sentences after and before it that fit, marked where `span` answers, else the whole line.

    A row stands alone and names the column of each cell. Of a longer line the part around the answer is kept.
    """
    shown = [shown_line(one) for one in passage.lines]
    place = passage.lines.index(line)
    start, end = _marked(shown[place], passage, line, span) if span is not None else (0, len(shown[place]))
    if len(shown[place]) > MOST_CHARS:
        return _cut(shown[place], start, end)
    first = last = place
    while not line.cells and last + 1 < len(shown) and _fits(shown[first : last + 2]):
        last += 1
    while not line.cells and first and _fits(shown[first - 1 : last + 1]):
        first -= 1
    before = sum(len(one) + 1 for one in shown[first:place])
    return Excerpt(" ".join(shown[first : last + 1]), (before + start, before + end))


def _marked(shown: str, passage: Passage, line: Line, span: Span) -> tuple[int, int]:
    """Return where the words of `span` stand in the text of their line, nearest to where the reader found them.

    Of a row only their own cell counts. The whole sentence or cell where the reader spells a date or number otherwise.
    """
    words = " ".join(passage.text[span.start : span.end].split())
    low, high, expected = 0, len(shown), span.start - line.start
    for number, cell in enumerate(line.cells):
        if cell.start <= span.start < cell.end:
            high = len("; ".join(map(_shown_cell, line.cells[: number + 1])))
            low, expected = high - len(cell.text), high - len(cell.text)
    found = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", shown[low:high])]
    if not found:
        return low, high
    start = low + min(found, key=lambda one: abs(low + one - expected))
    return _with_whole_numbers(shown, start, start + len(words))


def _with_whole_numbers(shown: str, start: int, end: int) -> tuple[int, int]:
    """Return a part of a text with the numbers that it begins or ends within: of "224.1" not "224" alone."""
    numbers = [one.span() for one in _NUMBER.finditer(shown) if one.start() < end and start < one.end()]
    return min((start, *(first for first, _ in numbers))), max((end, *(last for _, last in numbers)))


_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def shown_line(line: Line) -> str:
    """Return a sentence on one line, or a row with the column of each cell."""
    if not line.cells:
        return " ".join(line.quote.split())
    return "; ".join(map(_shown_cell, line.cells))


def _shown_cell(cell: Cell) -> str:
    return f"{cell.column}: {cell.text}" if cell.column else cell.text


def _fits(texts: list[str]) -> bool:
    return sum(len(text) + 1 for text in texts) - 1 <= MOST_CHARS


def _cut(text: str, start: int, end: int) -> Excerpt:
    """Return the words around the marked ones, with an ellipsis where something is left out."""
    room = MOST_CHARS - len("… ") - len(" …")
    low = max(0, min(start, (start + end - room) // 2))
    low = (text.find(" ", low, start) + 1 or low) if low else 0
    high = min(len(text), low + room)
    end = min(end, high)
    high = text.rfind(" ", end, high) if high < len(text) and text.rfind(" ", end, high) > 0 else high
    head, tail = "… " if low else "", " …" if high < len(text) else ""
    return Excerpt(f"{head}{text[low:high]}{tail}", (start - low + len(head), end - low + len(head)))
