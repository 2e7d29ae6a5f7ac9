"""A sentence or row with what stands around it, short enough to be read at a glance."""

from __future__ import annotations

from dataclasses import dataclass

from kohaku_lib.answering.extractive.reader.model import Span
from kohaku_lib.answering.extractive.reader.passages import Line, Passage

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
    words = " ".join(passage.text[span.start : span.end].split()) if span is not None else shown[place]
    start = max(0, shown[place].find(words))
    end = start + len(words) if shown[place].startswith(words, start) else len(shown[place])
    if len(shown[place]) > MOST_CHARS:
        return _cut(shown[place], start, end)
    first = last = place
    while not line.cells and last + 1 < len(shown) and _fits(shown[first : last + 2]):
        last += 1
    while not line.cells and first and _fits(shown[first - 1 : last + 1]):
        first -= 1
    before = sum(len(one) + 1 for one in shown[first:place])
    return Excerpt(" ".join(shown[first : last + 1]), (before + start, before + end))


def shown_line(line: Line) -> str:
    """Return a sentence on one line, or a row with the column of each cell."""
    if not line.cells:
        return " ".join(line.quote.split())
    return "; ".join(f"{cell.column}: {cell.text}" if cell.column else cell.text for cell in line.cells)


def _fits(texts: list[str]) -> bool:
    return sum(len(text) + 1 for text in texts) - 1 <= MOST_CHARS


def _cut(text: str, start: int, end: int) -> Excerpt:
    """Return the words around the marked ones, with an ellipsis where something is left out."""
    room = MOST_CHARS - len("… ") - len(" …")
    low = max(0, min(start, (start + end - room) // 2))
    low = text.rfind(" ", 0, low) + 1 if low else 0
    high = low + room
    if high < len(text) and text.rfind(" ", low, high) > start:
        high = text.rfind(" ", low, high)
    head, tail = "… " if low else "", " …" if high < len(text) else ""
    return Excerpt(f"{head}{text[low:high]}{tail}", (start - low + len(head), min(end, high) - low + len(head)))
