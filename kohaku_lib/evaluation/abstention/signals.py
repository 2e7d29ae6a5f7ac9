"""Signals of the confidence of an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from kohaku_lib.values import values_equal

PROBABILITY = "probability of the vote"
OWN = "confidence of the reader"
AGREEMENT = "agreement of the runs"
VERIFIED = "quote found in the source"
SNIPPET = "score of the best snippet"
CITED = "rank of the cited document"
STATED = (PROBABILITY, OWN)  # probabilities; the others are on arbitrary scales
ORDER = (PROBABILITY, OWN, AGREEMENT, CITED, SNIPPET, VERIFIED)  # the first one present is the confidence of the answer


def signals_of(
    vote: Mapping[str, Any], predictions: Sequence[Mapping[str, Any]], context: Mapping[str, Any] | None
) -> dict[str, float]:
    """Return the available confidence signals of one voted answer by name; higher is more confident.

    `predictions` are the rows of PREDICTIONS for its question, of which those with the voted value are used; `context`
    is its row of RETRIEVED_CONTEXT. Agreement needs several runs; the citation signal is the mean reciprocal rank of
    the cited documents in the context, 0 if none is there.

    >>> vote = {"answer_value": "7", "ref_id": ["A"], "agreement": 0.5, "probability": None, "votes_json": "[]"}
    >>> snippets = [{"document_id": "b", "score": 0.9}, {"document_id": "a", "score": 0.7}]
    >>> signals_of(vote, [{"answer_value": "7", "confidence": 0.8, "citations": []}], {"snippets": snippets})
    {'confidence of the reader': 0.8, 'score of the best snippet': 0.9, 'rank of the cited document': 0.5}
    """
    signals: dict[str, float] = {}
    if vote["probability"] is not None:
        signals[PROBABILITY] = float(vote["probability"])
    agreeing_rows = [row for row in predictions if values_equal(vote["answer_value"], row["answer_value"])]
    confidences = [row["confidence"] for row in agreeing_rows if row["confidence"] is not None]
    if confidences:
        signals[OWN] = fmean(confidences)
    if len(json.loads(vote["votes_json"])) > 1:
        signals[AGREEMENT] = float(vote["agreement"])
    citations = [citation for row in agreeing_rows for citation in row["citations"]]
    if any(citation["quote_found"] is not None for citation in citations):
        signals[VERIFIED] = fmean(bool(citation["quote_found"]) for citation in citations)
    return signals | (_context_signals(vote, context["snippets"]) if context and context["snippets"] else {})


def _context_signals(vote: Mapping[str, Any], snippets: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    documents = list(dict.fromkeys(snippet["document_id"].lower() for snippet in snippets))
    places = [documents.index(ref) for ref in map(str.lower, vote["ref_id"]) if ref in documents]
    reciprocal_rank = fmean(1.0 / (1.0 + place) for place in places) if places else 0.0
    return {SNIPPET: max(float(snippet["score"]) for snippet in snippets), CITED: reciprocal_rank}
