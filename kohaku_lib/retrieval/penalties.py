"""Lowers the scores of kinds of content that seldom answer a question: bibliographies, tables of contents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from kohaku_lib.index import Snapshot
from kohaku_lib.retrieval.scored_rows import ScoredRows

_ASKS_FOR = {
    "reference": re.compile(
        r"\b(cit(?:e[sd]?|ing|ations?)|references?|bibliograph\w+|doi|published (?:in|by)|authors? of|written by)\b",
        re.I,
    ),
    "toc": re.compile(r"\b(table of contents|contents page|chapters?|list of (?:figures|tables)|outline)\b", re.I),
    "glossary": re.compile(
        r"\b(defin(?:e[sd]?|itions?)|glossary|meaning of|stands? for|acronyms?|abbreviat\w+)\b", re.I
    ),
    "image_credit": re.compile(r"\b(photo\w*|image credits?|pictures? by|photographers?)\b", re.I),
    "footnote": re.compile(r"\b(footnotes?|endnotes?)\b", re.I),
}


def penalise(
    snapshot: Snapshot, ranked: ScoredRows, factors: Mapping[str, float], question: str
) -> tuple[ScoredRows, list[dict[str, Any]]]:
    """Return the ranking after the score of each node was multiplied by the factor of its content type.

    A factor does not hold where the question asks for that type ("cite", "define", "which chapter"). A negative
    score loses (1 - factor) of its size, so that a penalty never lifts. Equal scores keep their order. Beside it, what
    was lowered: node_id, content_type, score_before and score.
    """
    asked = asked_types(question)
    rows = snapshot.search_rows[ranked.rows]
    types = snapshot.column("content_type", rows)
    factor = np.array([1.0 if kind in asked else factors.get(kind, 1.0) for kind in types])
    scores = penalised(ranked.scores, factor)
    order = np.argsort(-scores, kind="stable")
    lowered = np.flatnonzero(factor < 1.0)
    node_ids = snapshot.column("node_id", rows[lowered])
    trace = [
        {
            "node_id": node_id,
            "content_type": types[at],
            "score_before": float(ranked.scores[at]),
            "score": float(scores[at]),
        }
        for node_id, at in zip(node_ids, lowered.tolist(), strict=True)
    ]
    return ScoredRows(ranked.rows[order], scores[order]), trace


def penalised(scores: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Return the scores lowered by their factors, from 0 to 1.

    >>> penalised(np.array([0.8, -0.2]), np.array([0.5, 0.5])).round(3).tolist()
    [0.4, -0.3]
    """
    return scores - np.abs(scores) * (1.0 - factors)


def asked_types(question: str) -> set[str]:
    """Return the kinds of content that `question` asks for.

    >>> sorted(asked_types("Which papers does chapter 2 cite?")), asked_types("How much water does it use?")
    (['reference', 'toc'], set())
    """
    return {kind for kind, words in _ASKS_FOR.items() if words.search(question)}
