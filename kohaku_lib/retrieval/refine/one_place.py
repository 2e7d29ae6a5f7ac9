"""Gives each passage one place in a ranking: a paragraph with its sentences, and near-copies of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.retrieval.refine.copies import copies_among, documents_of_copies
from kohaku_lib.retrieval.refine.refine import RefinedRanking

_MOST_COMPARED = 60  # passages whose text is compared


def one_place_each(snapshot: Snapshot, ranking: RefinedRanking) -> RefinedRanking:
    """Return `ranking` with one place for each passage, which is that of its best node.

    A paragraph stands for its sentences, of which the best one is kept in `best_sentences`. Each row of a table is a passage
    of its own, and takes the place of the table if it ranks before it. Of near-copies under the same headings, among the
    first 60 passages, the best one remains; `also_in` has the documents of the others.
    """
    rows = ranking.nodes.rows
    passages = _passages(snapshot, rows)
    _, firsts = np.unique(passages, return_index=True)
    firsts.sort()
    nodes = snapshot.search_rows[passages[firsts]].tolist()
    copies = copies_among(snapshot, nodes[:_MOST_COMPARED])
    kept = np.delete(firsts, list(copies))
    found = zip(passages[kept].tolist(), rows[kept].tolist(), strict=True)
    return replace(
        ranking,
        nodes=ScoredRows(passages[kept], ranking.nodes.scores[kept]),
        best_sentences={passage: row for passage, row in found if passage != row},
        also_in=documents_of_copies(snapshot, nodes, copies) | ranking.also_in,
    )


def _passages(snapshot: Snapshot, rows: np.ndarray) -> np.ndarray:
    """Return the searched row of the passage of each searched row in `rows`, best first."""
    parents = np.where(rows < snapshot.sentences, snapshot.search_parents[rows], -1)
    modalities = np.array(snapshot.column("modality", snapshot.search_rows[rows]), dtype=object)
    is_table_row = (parents >= 0) & (modalities == "table")
    passages = np.where((parents >= 0) & ~is_table_row & np.isin(parents, rows), parents, rows)
    place_of = {row: place for place, row in enumerate(rows.tolist())}
    in_rows: set[int] = set()  # tables that give way to their rows
    for place in np.flatnonzero(is_table_row).tolist():
        table = int(parents[place])
        if table in in_rows or table not in place_of:
            continue
        if place_of[table] < place:
            passages[place] = table
        else:
            passages[place_of[table]] = rows[place]
            in_rows.add(table)
    return passages
