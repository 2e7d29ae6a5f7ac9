"""The rerank scores of snippets known to be relevant, on which rerank.conformal is calibrated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kohaku_lib.evaluation.metrics.evidence import evidence_recall
from kohaku_lib.evaluation.metrics.judgements import Judgement
from kohaku_lib.tables import RetrievalResult, Snippet

MIN_QUOTE_SHARE = 0.5  # of a quote that a relevant snippet must contain


def relevant_scores(results: Sequence[RetrievalResult], judgements: Sequence[Judgement]) -> dict[str, list[float]]:
    """Return the rerank scores of relevant snippets, by reranker name.

    A snippet is relevant if it contains at least half of the gold quote; without a quote, the best-scored snippet of
    each relevant document is. Questions that were not reranked or have no relevant snippet contribute nothing.
    """
    judgement_by_id = {judgement.id: judgement for judgement in judgements}
    scores: dict[str, list[float]] = {}
    for result in results:
        reranked = result.trace.get("refinement", {}).get("reranked", {})
        if reranked.get("by") is None or result.id not in judgement_by_id:
            continue
        score_by_node = {
            row["node_id"]: row["rerank_score"] for row in reranked["scores"] if row["rerank_score"] is not None
        }
        relevant = _relevant_scores(result.snippets, score_by_node, judgement_by_id[result.id])
        scores.setdefault(reranked["by"], []).extend(relevant)
    return scores


def _relevant_scores(
    snippets: Sequence[Snippet], score_by_node: Mapping[str, float], judgement: Judgement
) -> Iterator[float]:
    candidates = [snippet for snippet in snippets if snippet.node_id in score_by_node]
    if judgement.quote:
        yield from (
            score_by_node[snippet.node_id] for snippet in candidates if _contains_quote(snippet.text, judgement.quote)
        )
        return
    for document_id in judgement.gains:
        document_scores = [
            score_by_node[snippet.node_id] for snippet in candidates if snippet.document_id.lower() == document_id
        ]
        if document_scores:
            yield max(document_scores)


def _contains_quote(text: str, quote: str) -> bool:
    return (evidence_recall(quote, [text]) or 0.0) >= MIN_QUOTE_SHARE
