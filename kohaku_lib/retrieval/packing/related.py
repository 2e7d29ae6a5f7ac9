"""Adds related paragraphs to a context, found in the graph by the entities of its best nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.packing.pack import PackedSnippet, pack
from kohaku_lib.retrieval.refine.expand import ExpandedMatch
from kohaku_lib.settings import RetrievalSettings

SEEDS = 10  # nodes of the context whose entities are followed
HOPS = 2  # maximum path length
MOST = 20  # related paragraphs per context
FACTOR = 0.9  # of the lowest score in the context
HEAD = 128  # best nodes that are sorted first; the others are sorted only if these do not suffice


def pack_with_related(
    snapshot: Snapshot,
    expanded: Sequence[ExpandedMatch],
    budget: int,
    settings: RetrievalSettings,
    org_id: str | None = None,
    allowed: np.ndarray | None = None,
    unwanted: Collection[str] = (),
) -> tuple[list[PackedSnippet], list[PackedSnippet], list[int]]:
    """Return the snippets of `expanded`, those of related paragraphs, and the rows of `expanded` that did not fit.

    `related_share` of the budget is reserved for related paragraphs, which also get the remainder; without any, all of
    it is for `expanded`. Nodes with `unwanted` ids never enter.
    """
    share, longest = settings.related_share, settings.snippet_tokens
    snippets, dropped = pack(snapshot, expanded, int(budget * (1 - share)), longest)
    tokens_left = budget - sum(item.tokens for item in snippets)
    nodes = related_nodes(snapshot, [item.node for item in snippets], org_id, allowed, unwanted) if share else []
    related, _ = pack(snapshot, nodes, max(tokens_left, 0), longest, first_enters=False)
    if share and not related:
        snippets, dropped = pack(snapshot, expanded, budget, longest)
    return snippets, related, dropped


def related_nodes(
    snapshot: Snapshot,
    expanded: Sequence[ExpandedMatch],
    org_id: str | None = None,
    allowed: np.ndarray | None = None,
    unwanted: Collection[str] = (),
) -> list[ExpandedMatch]:
    """Return up to twenty paragraphs that mention entities of the first ten of `expanded`, or entities two hops away.

    They are ordered by the rarity of the entities and the number and confidence of the relations. Each has 0.9 of the
    lowest score in `expanded`. Excluded are nodes of `expanded`, their ancestors and descendants, rows that `allowed`
    (searched, bool; None: all) excludes, and entities of tenants other than `org_id` (None: none).
    """
    if not expanded:
        return []
    seeds = list(dict.fromkeys(row for node in expanded[:SEEDS] for row in (node.row, node.match_row)))
    rows, scores = snapshot.graph.related(np.array(seeds, np.int64), HOPS, org_id)
    places = snapshot.search_row_of_node[rows]
    usable = places >= snapshot.sentences
    if allowed is not None:
        usable &= allowed[places]
    own_rows = {node.row for node in expanded}
    context_rows = own_rows.union(*(_ancestors(snapshot, row) for row in own_rows))
    least, rank = min(node.score for node in expanded), max(node.rank for node in expanded)
    score = min(FACTOR * least, least)  # some rerankers score below zero
    nodes: list[ExpandedMatch] = []
    for row in best_first(rows[usable], scores[usable]):
        if row in context_rows or own_rows.intersection(_ancestors(snapshot, row)):
            continue
        if not unwanted or snapshot.column("node_id", [row])[0] not in unwanted:
            nodes.append(ExpandedMatch(row, row, rank + len(nodes) + 1, score))
        if len(nodes) == MOST:
            break
    return nodes


def best_first(rows: np.ndarray, scores: np.ndarray) -> Iterator[int]:
    """Yield `rows` by descending score, equal ones in their order; avoids a full sort if few are consumed.

    >>> list(best_first(np.array([3, 5, 8]), np.array([0.5, 2.0, 0.5])))
    [5, 3, 8]
    """
    least = np.partition(scores, -HEAD)[-HEAD] if len(scores) > HEAD else -np.inf
    for part in (scores >= least, scores < least):
        at = np.flatnonzero(part)
        yield from rows[at[np.argsort(-scores[at], kind="stable")]].tolist()


def _ancestors(snapshot: Snapshot, row: int) -> list[int]:
    return snapshot.parents(row, snapshot.nodes.num_rows)
