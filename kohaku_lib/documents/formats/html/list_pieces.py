"""Split lists into sentence-level pieces that keep short items with their parent item."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kohaku_lib.tables import SentencePayload

_MOST_CHARS = 300  # the maximum length of a piece with nested items
_LEAST_CHARS = 20  # shorter pieces are merged with the preceding one
_INDENT = 2
_MARKER = re.compile(r"^(?:-|\d+\.) ")  # other labels, such as "Article 4" or "2.1", say where an item stands


def list_pieces(lines: Sequence[str]) -> tuple[SentencePayload, ...] | None:
    r"""Return the pieces of a list whose nested items are indented by two spaces per level, None for long items.

    An item and its nested items are one piece if they are short enough, so that "3 TB" keeps its parent "Disk".
    Otherwise each is a piece of its own, with the texts of its parent items as `context` in its metadata. The text of
    a list is its pieces joined by line breaks. An item so long that it contains sentences gives None.

    >>> [piece.text for piece in list_pieces(["- The disk of the machine", "  - 3 TB", "- A display of 14 inches"])]
    ['- The disk of the machine\n  - 3 TB', '- A display of 14 inches']
    """
    if any(len(line) > _MOST_CHARS for line in lines):
        return None
    pieces: list[SentencePayload] = []
    for text, context in _short_pieces(lines, ()):
        last = pieces[-1] if pieces else None
        if last and min(len(text.strip()), len(last.text)) < _LEAST_CHARS:
            pieces[-1] = SentencePayload(f"{last.text}\n{text}", last.metadata)
        else:
            pieces.append(SentencePayload(text.strip(), {"context": " / ".join(context)} if context else {}))
    return tuple(pieces)


def _short_pieces(lines: Sequence[str], context: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for first, *below in _item_groups(lines):
        whole = "\n".join([first, *below])
        if len(whole) <= _MOST_CHARS:
            yield whole, context
        else:
            yield first, context
            yield from _short_pieces(below, (*context, _without_marker(first)))


def _item_groups(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield each line of the lowest depth together with the deeper lines that follow it."""
    group: list[str] = []
    for line in lines:
        if group and _nesting_depth(line) <= _nesting_depth(group[0]):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _nesting_depth(line: str) -> int:
    return (len(line) - len(line.lstrip())) // _INDENT


def _without_marker(line: str) -> str:
    return _MARKER.sub("", line.strip(), count=1)
