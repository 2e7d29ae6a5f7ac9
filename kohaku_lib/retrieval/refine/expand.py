"""Expands matches to their parents and children, and drops nodes contained in other snippets."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from kohaku_lib.index import Snapshot
from kohaku_lib.settings import RetrievalSettings

LEVELS = ("sentence", "paragraph", "section", "document")


@dataclass(frozen=True, slots=True)
class ExpandedMatch:
    """A node of the context and the match it originates from."""

    row: int  # row of the node in the snapshot's nodes
    match_row: int  # row of its best match: itself, a descendant or an ancestor
    rank: int  # of that match, from 1
    score: float


def expand(
    snapshot: Snapshot, matches: Sequence[tuple[int, float]], settings: RetrievalSettings
) -> list[ExpandedMatch]:
    """Return the nodes of `matches` (node row, score; best first) with their relatives, best first.

    A match adds up to `parent_depth` parents, none of a higher kind than `parent_limit`, and `child_depth` levels
    of children. Within a match the node comes first, then parents from the nearest up, then children depth-first.
    `snippet_dedup` is `none`, `node_id` (the first of each node), `tree` (besides, a node with an ancestor
    present is dropped; a survivor has the rank and score of the best match it absorbed) or `tree_in_place` (a
    survivor keeps its own). Takes O(nodes · depth).
    """
    dedup = settings.snippet_dedup
    expanded = [
        ExpandedMatch(row, match, rank, score)
        for rank, (match, score) in enumerate(matches, start=1)
        for row in _relative_rows(snapshot, match, settings)
    ]
    if dedup == "none":
        return expanded
    unique: dict[int, ExpandedMatch] = {}
    for node in expanded:
        unique.setdefault(node.row, node)
    if dedup == "node_id":
        return list(unique.values())
    if dedup == "tree_in_place":
        return [node for row, node in unique.items() if not _present_ancestors(snapshot, row, unique)]
    return _without_descendants(snapshot, unique)


def _relative_rows(snapshot: Snapshot, row: int, settings: RetrievalSettings) -> Iterator[int]:
    yield row
    highest = LEVELS.index(settings.parent_limit)
    for parent in snapshot.parents(row, settings.parent_depth):
        if LEVELS.index(snapshot.kind(parent)) <= highest:
            yield parent
    yield from _descendant_rows(snapshot, row, settings.child_depth)


def _descendant_rows(snapshot: Snapshot, row: int, depth: int) -> Iterator[int]:
    if depth > 0:
        for child in snapshot.children(row):
            yield child
            yield from _descendant_rows(snapshot, child, depth - 1)


def _without_descendants(snapshot: Snapshot, unique: dict[int, ExpandedMatch]) -> list[ExpandedMatch]:
    best: dict[int, ExpandedMatch] = {}
    for node in unique.values():
        present = _present_ancestors(snapshot, node.row, unique)
        top = present[-1] if present else node.row
        # Nodes are ordered by rank, so the first one absorbed by a survivor is its best match.
        if top not in best:
            best[top] = ExpandedMatch(top, node.match_row, node.rank, node.score)
    return sorted(best.values(), key=lambda node: node.rank)


def _present_ancestors(snapshot: Snapshot, row: int, present: Container[int]) -> list[int]:
    return [ancestor for ancestor in snapshot.parents(row, _ANY_DEPTH) if ancestor in present]


_ANY_DEPTH = 1_000_000
