"""The steps that drop, rescore and reorder snippets, in sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kohaku_lib.errors import ModelError
from kohaku_lib.retrieval.refine.candidates import Candidate
from kohaku_lib.retrieval.refine.dependencies import RefineDependencies, RefinementQuestion
from kohaku_lib.retrieval.refine.mmr import mmr_order, relative
from kohaku_lib.retrieval.refine.score_thresholds import above_gap, above_share_of_best, refusal
from kohaku_lib.retrieval.refine.semantic_dedup import Duplicate, find_duplicates
from kohaku_lib.retrieval.refine.verification import Grades, UnusableGradesError, grade_by_chat, passing
from kohaku_lib.retrieval.rerank import rerank, rerank_share


@dataclass(frozen=True, slots=True)
class Refinement:
    """The remaining snippets, the dropped ones, and the trace so far."""

    candidates: list[Candidate]
    dropped: list[dict[str, Any]]
    trace: dict[str, Any]
    also_in: dict[str, tuple[str, ...]] = field(default_factory=dict)  # further documents of a snippet, by node_id

    def with_candidates(self, candidates: Sequence[Candidate], **trace: Any) -> Refinement:
        """Return the state with these candidates and `trace` added to the trace."""
        return replace(self, candidates=list(candidates), trace=self.trace | trace)

    def filtered(self, keep: Sequence[bool], why: str, **trace: Any) -> Refinement:
        """Return the state without the candidates for which `keep` is False, and `trace` added to the trace."""
        dropped_candidates = [candidate for candidate, stays in zip(self.candidates, keep, strict=True) if not stays]
        rows = [_dropped_node(candidate, why) for candidate in dropped_candidates]
        kept_candidates = [candidate for candidate, stays in zip(self.candidates, keep, strict=True) if stays]
        return replace(self, candidates=kept_candidates, dropped=[*self.dropped, *rows], trace=self.trace | trace)


def _dropped_node(candidate: Candidate, why: str) -> dict[str, Any]:
    score_entry = {} if candidate.rerank_score is None else {"rerank_score": candidate.rerank_score}
    return {"node_id": candidate.node_id, "why": why, **score_entry}


def _deduplicate_step(
    refinement: Refinement, dependencies: RefineDependencies, question: RefinementQuestion
) -> Refinement:
    threshold = dependencies.settings.semantic_dedup
    if threshold is None or len(refinement.candidates) < 2:
        return refinement
    vectors = np.array([candidate.vector for candidate in refinement.candidates])
    duplicates = find_duplicates(lambda at: refinement.candidates[at].text, vectors, threshold)
    rows = [
        {
            "node_id": refinement.candidates[one.position].node_id,
            "why": "duplicate",
            "of": refinement.candidates[one.of].node_id,
            "similarity": round(one.similarity, 4),
            "by": one.by,
        }
        for one in duplicates
    ]
    duplicate_places = {one.position for one in duplicates}
    unique_candidates = [candidate for at, candidate in enumerate(refinement.candidates) if at not in duplicate_places]
    return replace(
        refinement,
        candidates=unique_candidates,
        dropped=[*refinement.dropped, *rows],
        also_in=refinement.also_in | _repeated_in(refinement.candidates, duplicates),
    )


def _repeated_in(candidates: Sequence[Candidate], duplicates: Sequence[Duplicate]) -> dict[str, tuple[str, ...]]:
    """Return the further documents with the content of a snippet, without duplicates, by its node_id."""
    documents: dict[str, dict[str, None]] = {}
    for one in duplicates:
        better, repeated = candidates[one.of], candidates[one.position].document_id
        if repeated != better.document_id:
            documents.setdefault(better.node_id, {})[repeated] = None
    return {node_id: tuple(names) for node_id, names in documents.items()}


def _rerank_step(refinement: Refinement, dependencies: RefineDependencies, question: RefinementQuestion) -> Refinement:
    if not dependencies.rerankers:
        return refinement
    head = refinement.candidates[: dependencies.settings.top_n * question.depth]
    rerank_scores = rerank(dependencies.rerankers, question.text, [candidate.text for candidate in head], question.id)
    joined_scores = _blend_scores(
        [candidate.node.score for candidate in head], rerank_scores.scores, rerank_share(dependencies.settings)
    )
    scored_candidates = [
        candidate.rescored(*both)
        for candidate, both in zip(head, zip(rerank_scores.scores, joined_scores, strict=True), strict=True)
    ]
    trace = {
        "by": rerank_scores.by,
        "failures": list(rerank_scores.failures),
        "scores": [
            {
                "node_id": candidate.node_id,
                "score_before": candidate.node.score,
                "rerank_score": candidate.rerank_score,
                "score": candidate.score,
            }
            for candidate in scored_candidates
        ],
    }
    return refinement.with_candidates(
        [*_by_joined_score(scored_candidates), *refinement.candidates[len(head) :]], reranked=trace
    )


def _blend_scores(before: Sequence[float], scores: Sequence[float | None], share: float) -> list[float | None]:
    """Blend rerank scores with weight `share` and previous scores, relative to the best one, with the rest."""
    relative_scores = relative(np.array(before, np.float64))
    return [
        None if score is None else (1.0 - share) * float(part) + share * score
        for part, score in zip(relative_scores, scores, strict=True)
    ]


def _by_joined_score(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates by their scores after reranking; candidates without one keep their position."""
    scored_candidates = iter(
        sorted(
            (candidate for candidate in candidates if candidate.joined_score is not None),
            key=lambda candidate: -candidate.score,
        )
    )
    return [candidate if candidate.rerank_score is None else next(scored_candidates) for candidate in candidates]


def _threshold_step(
    refinement: Refinement, dependencies: RefineDependencies, question: RefinementQuestion
) -> Refinement:
    """Drop the candidates below the rerank thresholds, and the unscored ones ranked too low to be reranked."""
    settings = dependencies.settings
    if not dependencies.rerankers or (refinement.candidates and refinement.trace["reranked"]["by"] is None):
        return refinement
    head = len(refinement.trace["reranked"]["scores"])
    if settings.safety_threshold is not None:
        why = refusal([candidate.rerank_score for candidate in refinement.candidates[:head]], settings.safety_threshold)
        if why is not None:
            return refinement.filtered([False] * len(refinement.candidates), "refused", refused=why)
    least = dependencies.conformal_thresholds.get(str(refinement.trace["reranked"]["by"]))
    if settings.conformal is not None and least is None:
        refinement = refinement.with_candidates(refinement.candidates, uncalibrated=refinement.trace["reranked"]["by"])
    if settings.denoise_alpha is None and not settings.score_gap and least is None:
        return refinement
    refinement = refinement.filtered([at < head for at in range(len(refinement.candidates))], "not reranked")
    if settings.denoise_alpha is not None:
        scores = [candidate.rerank_score for candidate in refinement.candidates]
        refinement = refinement.filtered(above_share_of_best(scores, settings.denoise_alpha), "denoised")
    if settings.score_gap:
        refinement = refinement.filtered(
            above_gap([candidate.rerank_score for candidate in refinement.candidates]), "score gap"
        )
    return refinement if least is None else _filter_conformal(refinement, least)


def _filter_conformal(refinement: Refinement, least: float) -> Refinement:
    keep, is_enough = passing([candidate.rerank_score for candidate in refinement.candidates], least)
    flag = {} if is_enough else {"insufficient": f"no snippet has a rerank score of {least:.3f}; the best one is kept"}
    return refinement.filtered(keep, "conformal", **flag)


def _verify_step(refinement: Refinement, dependencies: RefineDependencies, question: RefinementQuestion) -> Refinement:
    level = dependencies.settings.verify
    if level == "none" or not refinement.candidates:
        return refinement
    if level == "quick":
        least, grades = dependencies.settings.verify_cosine, [candidate.cosine for candidate in refinement.candidates]
        return _filter_by_grade(refinement, grades, least, {"level": level})
    head = refinement.filtered(
        [at < dependencies.settings.top_n * question.depth for at in range(len(refinement.candidates))], "not verified"
    )
    try:
        graded = _grades_by_chat(head, dependencies, question)
    except ModelError as error:
        is_final = isinstance(error, UnusableGradesError)
        return refinement.with_candidates(
            refinement.candidates, verified={"level": level, "failure": str(error), "is_final": is_final}
        )
    trace = {"level": level, **({"missing": graded.missing} if level == "thorough" else {})}
    return _filter_by_grade(head, graded.grades, dependencies.settings.verify_grade, trace)


def _grades_by_chat(head: Refinement, dependencies: RefineDependencies, question: RefinementQuestion) -> Grades:
    if dependencies.chat is None:
        msg = f"rerank.verify = {dependencies.settings.verify!r} needs a chat model; set llm.provider"
        raise ModelError(msg)
    texts = [candidate.text for candidate in head.candidates]
    return grade_by_chat(question.text, texts, dependencies.settings.verify, dependencies.chat, question.id)


def _filter_by_grade(
    refinement: Refinement, grades: Sequence[float | None], least: float, trace: dict[str, Any]
) -> Refinement:
    trace["grades"] = [
        {"node_id": candidate.node_id, "grade": grade}
        for candidate, grade in zip(refinement.candidates, grades, strict=True)
    ]
    keep, is_enough = passing(grades, least)
    flag = {} if is_enough else {"insufficient": f"no snippet reaches the grade {least:g}; the best one is kept"}
    return refinement.filtered(keep, "not relevant", verified=trace, **flag)


def _diversify_step(
    refinement: Refinement, dependencies: RefineDependencies, question: RefinementQuestion
) -> Refinement:
    weight = dependencies.settings.mmr
    if weight is None or not refinement.candidates:
        return refinement
    head = refinement.candidates[: dependencies.settings.top_n * question.depth]
    is_scored = all(candidate.rerank_score is not None for candidate in head)
    scores = np.array([candidate.score if is_scored else candidate.node.score for candidate in head])
    vectors = np.array([candidate.vector for candidate in head])
    order = mmr_order(relative(scores), vectors, dependencies.settings.mmr_k * question.depth, weight)
    node_ids = [head[at].node_id for at in order.tolist()]
    return refinement.with_candidates(
        [*(head[at] for at in order.tolist()), *refinement.candidates[len(head) :]], mmr=node_ids
    )


def _cut_step(refinement: Refinement, dependencies: RefineDependencies, question: RefinementQuestion) -> Refinement:
    top_k = dependencies.settings.top_k
    if top_k is None:
        return refinement
    return refinement.filtered([at < top_k * question.depth for at in range(len(refinement.candidates))], "rank")


STEPS: tuple[Callable[[Refinement, RefineDependencies, RefinementQuestion], Refinement], ...] = (
    _deduplicate_step,
    _rerank_step,
    _threshold_step,
    _verify_step,
    _diversify_step,
    _cut_step,
)
