"""Distributes a context over documents: a few paragraphs of each of the best ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from kohaku_lib.index import Snapshot

MOST_DOCUMENTS = 10
MOST_PARAGRAPHS = 3  # of each document


def by_document(snapshot: Snapshot, context: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Restrict `context` (searched row, score; best first) to few paragraphs of few documents.

    The ten documents with the best nodes remain, each with the three paragraphs of its best nodes.
    """
    paragraphs: defaultdict[int, set[int]] = defaultdict(set)
    selection: list[tuple[int, float]] = []
    for row, score in context:
        document = int(snapshot.search_documents[row])
        if document not in paragraphs and len(paragraphs) == MOST_DOCUMENTS:
            continue
        paragraph = row if row >= snapshot.sentences else int(snapshot.search_parents[row])
        if len(paragraphs[document] | {paragraph}) <= MOST_PARAGRAPHS:
            paragraphs[document].add(paragraph)
            selection.append((row, score))
    return selection
