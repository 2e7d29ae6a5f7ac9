"""Paragraphs of documents whose titles a question or its best passages contain."""

from __future__ import annotations

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.index.graph import canonical_name
from kohaku_lib.retrieval.fusion.scored_rows import ScoredRows
from kohaku_lib.retrieval.hops.sources import HopQuestion, Passages, paragraph_places


def named_paragraphs(snapshot: Snapshot, question: HopQuestion) -> np.ndarray:
    """Return for each searched paragraph how rare the title of its document is if the question contains it, else 0."""
    rarities = np.zeros(len(snapshot.title_index.names))
    for document in snapshot.title_index.documents_in(question.text):
        rarities[document] = _title_rarity(snapshot, document, question.org_id)
    return rarities[snapshot.search_documents[snapshot.sentences :]]


def linked_paragraphs(snapshot: Snapshot, ranking: ScoredRows, passages: Passages, question: HopQuestion) -> np.ndarray:
    """Return the best paragraph of each document whose title a passage contains, as lifts (paragraphs,).

    A lift is the largest product of the share of a passage and the rarity of the title. Documents that the question
    names, and that of the passage, are left out. The first paragraph counts as the best if none is ranked.
    """
    of_paragraph = snapshot.search_documents[snapshot.sentences :]
    named = set(snapshot.title_index.documents_in(question.text))
    strength: dict[int, float] = {}
    for place, share in zip(passages.places.tolist(), passages.shares.tolist(), strict=True):
        text = snapshot.text(int(snapshot.search_rows[snapshot.sentences + place]))
        for document in set(snapshot.title_index.documents_in(text)) - named - {int(of_paragraph[place])}:
            link = share * _title_rarity(snapshot, document, question.org_id)
            strength[document] = max(strength.get(document, 0.0), link)
    lifts = np.zeros(len(of_paragraph))
    if not strength:
        return lifts
    ranked = paragraph_places(snapshot, ranking.rows)
    ranked = ranked[ranked >= 0]
    for document, link in strength.items():
        own = ranked[of_paragraph[ranked] == document]
        first = own[0] if len(own) else np.searchsorted(of_paragraph, document)
        if first < len(of_paragraph) and of_paragraph[first] == document:
            lifts[first] = link
    return lifts


def _title_rarity(snapshot: Snapshot, document: int, org_id: str | None) -> float:
    """Return the rarity of the title of a document as a name in the texts; 0 if it is no entity."""
    name = canonical_name(snapshot.title_index.names[document])
    return float(snapshot.graph.rarity(snapshot.graph.entities_named([name], org_id)).max(initial=0.0))
