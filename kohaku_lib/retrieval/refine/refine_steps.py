"""The steps that drop, rescore and reorder snippets, in sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kohaku_lib.errors import ModelError
from kohaku_lib.retrieval.refine.chunks import Chunk
from kohaku_lib.retrieval.refine.mmr import mmr_order, relative
from kohaku_lib.retrieval.refine.refiner import RefinementQuestion, Refiner
from kohaku_lib.retrieval.refine.safety import above_gap, above_share_of_best, refusal
from kohaku_lib.retrieval.refine.semantic_dedup import Duplicate, find_duplicates
from kohaku_lib.retrieval.refine.verification import Grades, UnusableGradesError, grade_by_chat, passing
from kohaku_lib.retrieval.rerank import rerank, rerank_share


@dataclass(frozen=True, slots=True)
class Refinement:
    """The remaining snippets, the dropped ones, and the trace so far."""

    chunks: list[Chunk]
    dropped: list[dict[str, Any]]
    trace: dict[str, Any]
    also_in: dict[str, tuple[str, ...]] = field(default_factory=dict)  # further documents of a snippet, by node_id

    def with_chunks(self, chunks: Sequence[Chunk], **trace: Any) -> Refinement:
        """Return the state with these chunks and `trace` added to the trace."""
        return replace(self, chunks=list(chunks), trace=self.trace | trace)

    def filtered(self, keep: Sequence[bool], why: str, **trace: Any) -> Refinement:
        """Return the state without the chunks for which `keep` is False, and `trace` added to the trace."""
        dropped_chunks = [chunk for chunk, stays in zip(self.chunks, keep, strict=True) if not stays]
        rows = [_dropped_node(chunk, why) for chunk in dropped_chunks]
        kept_chunks = [chunk for chunk, stays in zip(self.chunks, keep, strict=True) if stays]
        return replace(self, chunks=kept_chunks, dropped=[*self.dropped, *rows], trace=self.trace | trace)


def _dropped_node(chunk: Chunk, why: str) -> dict[str, Any]:
    score_entry = {} if chunk.rerank_score is None else {"rerank_score": chunk.rerank_score}
    return {"node_id": chunk.node_id, "why": why, **score_entry}


def _deduplicate_step(refinement: Refinement, refiner: Refiner, question: RefinementQuestion) -> Refinement:
    threshold = refiner.settings.semantic_dedup
    if threshold is None or len(refinement.chunks) < 2:
        return refinement
    vectors = np.array([chunk.vector for chunk in refinement.chunks])
    duplicates = find_duplicates(lambda at: refinement.chunks[at].text, vectors, threshold)
    rows = [
        {
            "node_id": refinement.chunks[one.position].node_id,
            "why": "duplicate",
            "of": refinement.chunks[one.of].node_id,
            "similarity": round(one.similarity, 4),
            "by": one.by,
        }
        for one in duplicates
    ]
    duplicate_places = {one.position for one in duplicates}
    unique_chunks = [chunk for at, chunk in enumerate(refinement.chunks) if at not in duplicate_places]
    return replace(
        refinement,
        chunks=unique_chunks,
        dropped=[*refinement.dropped, *rows],
        also_in=_repeated_in(refinement.chunks, duplicates),
    )


def _repeated_in(chunks: Sequence[Chunk], duplicates: Sequence[Duplicate]) -> dict[str, tuple[str, ...]]:
    """Return the further documents with the content of a snippet, without duplicates, by its node_id."""
    documents: dict[str, dict[str, None]] = {}
    for one in duplicates:
        better, repeated = chunks[one.of], chunks[one.position].document_id
        if repeated != better.document_id:
            documents.setdefault(better.node_id, {})[repeated] = None
    return {node_id: tuple(names) for node_id, names in documents.items()}


def _rerank_step(refinement: Refinement, refiner: Refiner, question: RefinementQuestion) -> Refinement:
    if not refiner.rerankers:
        return refinement
    head = refinement.chunks[: refiner.settings.top_n * question.depth]
    rerank_scores = rerank(refiner.rerankers, question.text, [chunk.text for chunk in head], question.id)
    joined_scores = _blend_scores(
        [chunk.node.score for chunk in head], rerank_scores.scores, rerank_share(refiner.settings)
    )
    scored_chunks = [
        chunk.rescored(*both)
        for chunk, both in zip(head, zip(rerank_scores.scores, joined_scores, strict=True), strict=True)
    ]
    trace = {
        "by": rerank_scores.by,
        "failures": list(rerank_scores.failures),
        "scores": [
            {
                "node_id": chunk.node_id,
                "score_before": chunk.node.score,
                "rerank_score": chunk.rerank_score,
                "score": chunk.score,
            }
            for chunk in scored_chunks
        ],
    }
    return refinement.with_chunks([*_by_joined_score(scored_chunks), *refinement.chunks[len(head) :]], reranked=trace)


def _blend_scores(before: Sequence[float], scores: Sequence[float | None], share: float) -> list[float | None]:
    """Blend rerank scores with weight `share` and previous scores, relative to the best one, with the rest."""
    relative_scores = relative(np.array(before, np.float64))
    return [
        None if score is None else (1.0 - share) * float(part) + share * score
        for part, score in zip(relative_scores, scores, strict=True)
    ]


def _by_joined_score(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the chunks by their scores after reranking; chunks without one keep their position."""
    scored_chunks = iter(
        sorted((chunk for chunk in chunks if chunk.joined_score is not None), key=lambda chunk: -chunk.score)
    )
    return [chunk if chunk.rerank_score is None else next(scored_chunks) for chunk in chunks]


def _threshold_step(refinement: Refinement, refiner: Refiner, question: RefinementQuestion) -> Refinement:
    """Drop the chunks below the rerank thresholds, and the unscored ones ranked too low to be reranked."""
    settings = refiner.settings
    if not refiner.rerankers or (refinement.chunks and refinement.trace["reranked"]["by"] is None):
        return refinement
    head = len(refinement.trace["reranked"]["scores"])
    if settings.safety_threshold is not None:
        why = refusal([chunk.rerank_score for chunk in refinement.chunks[:head]], settings.safety_threshold)
        if why is not None:
            return refinement.filtered([False] * len(refinement.chunks), "refused", refused=why)
    least = refiner.conformal_thresholds.get(str(refinement.trace["reranked"]["by"]))
    if settings.conformal is not None and least is None:
        refinement = refinement.with_chunks(refinement.chunks, uncalibrated=refinement.trace["reranked"]["by"])
    if settings.denoise_alpha is None and not settings.score_gap and least is None:
        return refinement
    refinement = refinement.filtered([at < head for at in range(len(refinement.chunks))], "not reranked")
    if settings.denoise_alpha is not None:
        scores = [chunk.rerank_score for chunk in refinement.chunks]
        refinement = refinement.filtered(above_share_of_best(scores, settings.denoise_alpha), "denoised")
    if settings.score_gap:
        refinement = refinement.filtered(above_gap([chunk.rerank_score for chunk in refinement.chunks]), "score gap")
    return refinement if least is None else _filter_conformal(refinement, least)


def _filter_conformal(refinement: Refinement, least: float) -> Refinement:
    keep, is_enough = passing([chunk.rerank_score for chunk in refinement.chunks], least)
    flag = {} if is_enough else {"insufficient": f"no snippet has a rerank score of {least:.3f}; the best one is kept"}
    return refinement.filtered(keep, "conformal", **flag)


def _verify_step(refinement: Refinement, refiner: Refiner, question: RefinementQuestion) -> Refinement:
    level = refiner.settings.verify
    if level == "none" or not refinement.chunks:
        return refinement
    if level == "quick":
        least, grades = refiner.settings.verify_cosine, [chunk.cosine for chunk in refinement.chunks]
        return _filter_by_grade(refinement, grades, least, {"level": level})
    head = refinement.filtered(
        [at < refiner.settings.top_n * question.depth for at in range(len(refinement.chunks))], "not verified"
    )
    try:
        graded = _grades_by_chat(head, refiner, question)
    except ModelError as error:
        is_final = isinstance(error, UnusableGradesError)
        return refinement.with_chunks(
            refinement.chunks, verified={"level": level, "failure": str(error), "is_final": is_final}
        )
    trace = {"level": level, **({"missing": graded.missing} if level == "thorough" else {})}
    return _filter_by_grade(head, graded.grades, refiner.settings.verify_grade, trace)


def _grades_by_chat(head: Refinement, refiner: Refiner, question: RefinementQuestion) -> Grades:
    if refiner.chat is None:
        msg = f"rerank.verify = {refiner.settings.verify!r} needs a chat model; set llm.provider"
        raise ModelError(msg)
    texts = [chunk.text for chunk in head.chunks]
    return grade_by_chat(question.text, texts, refiner.settings.verify, refiner.chat, question.id)


def _filter_by_grade(
    refinement: Refinement, grades: Sequence[float | None], least: float, trace: dict[str, Any]
) -> Refinement:
    trace["grades"] = [
        {"node_id": chunk.node_id, "grade": grade} for chunk, grade in zip(refinement.chunks, grades, strict=True)
    ]
    keep, is_enough = passing(grades, least)
    flag = {} if is_enough else {"insufficient": f"no snippet reaches the grade {least:g}; the best one is kept"}
    return refinement.filtered(keep, "not relevant", verified=trace, **flag)


def _diversify_step(refinement: Refinement, refiner: Refiner, question: RefinementQuestion) -> Refinement:
    weight = refiner.settings.mmr
    if weight is None or not refinement.chunks:
        return refinement
    head = refinement.chunks[: refiner.settings.top_n * question.depth]
    is_scored = all(chunk.rerank_score is not None for chunk in head)
    scores = np.array([chunk.score if is_scored else chunk.node.score for chunk in head])
    vectors = np.array([chunk.vector for chunk in head])
    order = mmr_order(relative(scores), vectors, refiner.settings.mmr_k * question.depth, weight)
    node_ids = [head[at].node_id for at in order.tolist()]
    return refinement.with_chunks([*(head[at] for at in order.tolist()), *refinement.chunks[len(head) :]], mmr=node_ids)


STEPS: tuple[Callable[[Refinement, Refiner, RefinementQuestion], Refinement], ...] = (
    _deduplicate_step,
    _rerank_step,
    _threshold_step,
    _verify_step,
    _diversify_step,
)
