"""Packs snippets into a token budget: best first, long ancestors as windows of whole sentences around their match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.expand import Grown


@dataclass(frozen=True, slots=True)
class Packed:
    """A snippet that entered the context."""

    node: Grown
    text: str
    tokens: int  # estimate


def pack(
    snapshot: Snapshot, nodes: Sequence[Grown], budget_tokens: int, snippet_tokens: int
) -> tuple[list[Packed], list[int]]:
    """Return the snippets that fit into `budget_tokens`, best first, and the rows of those that did not.

    A node longer than `snippet_tokens` is replaced by its children around the match, taken whole from the match
    outwards until the limit is reached. A snippet that no longer fits is dropped, and smaller later ones may still enter.
    The first one always enters, so that a context is never empty for its size.
    """
    packed: list[Packed] = []
    dropped: list[int] = []
    left = budget_tokens
    for node in nodes:
        text, tokens = _text(snapshot, node, min(snippet_tokens, budget_tokens))
        if tokens <= left or not packed:
            packed.append(Packed(node, text, tokens))
            left -= tokens
        else:
            dropped.append(node.row)
    return packed, dropped


def _text(snapshot: Snapshot, node: Grown, limit: int) -> tuple[str, int]:
    tokens = snapshot.tokens(node.row)
    if tokens <= limit:
        return snapshot.text(node.row), tokens
    rows = window(snapshot, node.row, node.match_row, limit)
    if rows == [node.row]:
        return snapshot.text(node.row), tokens
    return _stretch(snapshot, rows), sum(map(snapshot.tokens, rows))


def _stretch(snapshot: Snapshot, rows: Sequence[int]) -> str:
    """Return the text of consecutive siblings as it stands in their parent, so that a table keeps its lines."""
    [start], [end] = snapshot.column("char_start", rows[:1]), snapshot.column("char_end", rows[-1:])
    if start is not None and end is not None:
        return snapshot.text(int(snapshot.parent_rows[rows[0]]))[start:end]
    separator = " " if snapshot.kind(rows[0]) == "sentence" else "\n"
    return separator.join(snapshot.text(row) for row in rows)


def window(snapshot: Snapshot, row: int, match_row: int, limit: int) -> list[int]:
    """Return the rows of consecutive pieces of node `row` around `match_row` that hold up to `limit` tokens.

    Pieces are the children of the node; where the piece with the match is itself too long, its own children. The
    piece with the match is always there, the others join in turn after and before it. A node without children is
    its own window.
    """
    pieces = snapshot.children(row)
    if not pieces:
        return [row]
    path = {match_row, *snapshot.parents(match_row, len(pieces) + 8)}
    centre = next((place for place, piece in enumerate(pieces) if piece in path), 0)
    if snapshot.tokens(pieces[centre]) > limit and match_row != row:
        return window(snapshot, pieces[centre], match_row, limit)
    first, last = _grow([snapshot.tokens(piece) for piece in pieces], centre, limit)
    return pieces[first : last + 1]


def _grow(sizes: Sequence[int], centre: int, limit: int) -> tuple[int, int]:
    """Return the ends of the stretch around `centre` that grows in turn after and before it within `limit`."""
    first = last = centre
    total = sizes[centre]
    open_after = open_before = True
    while open_after or open_before:
        open_after = open_after and last + 1 < len(sizes) and total + sizes[last + 1] <= limit
        if open_after:
            last += 1
            total += sizes[last]
        open_before = open_before and first > 0 and total + sizes[first - 1] <= limit
        if open_before:
            first -= 1
            total += sizes[first]
    return first, last
