"""Packs snippets into a token budget: best first, long ancestors as windows of whole sentences around their match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.refine.expand import ExpandedMatch
from kohaku_lib.text.token_estimates import CHARACTERS_PER_TOKEN, estimated_tokens
from kohaku_lib.tree import table_opening


@dataclass(frozen=True, slots=True)
class PackedSnippet:
    """A snippet in the context."""

    node: ExpandedMatch
    text: str
    tokens: int  # estimate


def pack(
    snapshot: Snapshot,
    nodes: Sequence[ExpandedMatch],
    budget_tokens: int,
    snippet_tokens: int,
    *,
    first_enters: bool = True,
) -> tuple[list[PackedSnippet], list[int]]:
    """Return the snippets that fit into `budget_tokens`, best first, and the rows of those that did not.

    A node longer than `snippet_tokens` is replaced by whole children around the match, from the match outwards up to
    the limit; table rows keep the caption and header. A snippet that no longer fits is dropped, but smaller later ones
    may still enter. The first one always enters, whatever its size, unless `first_enters` is off.
    """
    snippets: list[PackedSnippet] = []
    dropped: list[int] = []
    tokens_left = budget_tokens
    for node in nodes:
        text, tokens = snippet_text(snapshot, node, min(snippet_tokens, budget_tokens))
        if tokens <= tokens_left or (first_enters and not snippets):
            snippets.append(PackedSnippet(node, text, tokens))
            tokens_left -= tokens
        else:
            dropped.append(node.row)
    return snippets, dropped


def snippet_text(snapshot: Snapshot, node: ExpandedMatch, limit: int) -> tuple[str, int]:
    """Return the text of a node in the context, cut to `limit` tokens around its match, and its tokens."""
    tokens = snapshot.tokens(node.row)
    if tokens <= limit:
        return snapshot.text(node.row), tokens
    rows = window(snapshot, node.row, node.match_row, limit)
    if rows == [node.row]:
        return snapshot.text(node.row), tokens
    opening = _table_opening(snapshot, rows[0])
    if opening:
        room = max(limit // 2, limit - estimated_tokens(opening))
        text = _table_rows_text(snapshot, opening, window(snapshot, node.row, node.match_row, room))
        return text, estimated_tokens(text)
    return _sibling_text(snapshot, rows), sum(_sibling_tokens(snapshot, rows))


def _table_opening(snapshot: Snapshot, row: int) -> str:
    """Return the caption and header of the table if this node is a table row, else ""."""
    if snapshot.kind(row) != "sentence" or snapshot.column("modality", [row]) != ["table"]:
        return ""
    return table_opening(snapshot.text(int(snapshot.parent_rows[row])))


def _table_rows_text(snapshot: Snapshot, opening: str, rows: Sequence[int]) -> str:
    """Return consecutive rows of a table below its caption and header."""
    [start], [end] = snapshot.column("char_start", rows[:1]), snapshot.column("char_end", rows[-1:])
    text = snapshot.text(int(snapshot.parent_rows[rows[0]]))
    return text[:end] if start <= len(opening) + 1 else f"{opening}\n{text[start:end]}"


def _sibling_text(snapshot: Snapshot, rows: Sequence[int]) -> str:
    """Return the text of consecutive siblings as in their parent, preserving line breaks."""
    [start], [end] = snapshot.column("char_start", rows[:1]), snapshot.column("char_end", rows[-1:])
    if start is not None and end is not None:
        return snapshot.text(int(snapshot.parent_rows[rows[0]]))[start:end]
    separator = " " if snapshot.kind(rows[0]) == "sentence" else "\n"
    return separator.join(snapshot.text(row) for row in rows)


def _sibling_tokens(snapshot: Snapshot, rows: Sequence[int]) -> list[int]:
    """Return the tokens of siblings in a context; table rows are included in their written form."""
    starts, ends = snapshot.column("char_start", rows), snapshot.column("char_end", rows)
    modalities = snapshot.column("modality", rows)
    return [
        max(1, (end - start) // CHARACTERS_PER_TOKEN)
        if modality == "table" and start is not None
        else snapshot.tokens(row)
        for row, start, end, modality in zip(rows, starts, ends, modalities, strict=True)
    ]


def window(snapshot: Snapshot, row: int, match_row: int, limit: int) -> list[int]:
    """Return the rows of consecutive pieces of node `row` around `match_row` of up to `limit` tokens.

    Pieces are the children of the node or, if the piece with the match is too long itself, that piece's children. The
    piece with the match is always included; the others are added alternately after and before it. A node without
    children is its own window.
    """
    pieces = snapshot.children(row)
    if not pieces:
        return [row]
    path = {match_row, *snapshot.parents(match_row, len(pieces) + 8)}
    centre = next((place for place, piece in enumerate(pieces) if piece in path), 0)
    if snapshot.tokens(pieces[centre]) > limit and match_row != row:
        return window(snapshot, pieces[centre], match_row, limit)
    first, last = _grow_span(_sibling_tokens(snapshot, pieces), centre, limit)
    return pieces[first : last + 1]


def _grow_span(sizes: Sequence[int], centre: int, limit: int) -> tuple[int, int]:
    """Return the bounds of a span that grows alternately after and before `centre` within `limit`."""
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
