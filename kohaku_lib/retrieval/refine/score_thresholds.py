"""Thresholds on rerank scores: filters for snippets, and refusal of insufficient contexts."""

from __future__ import annotations

import math
from collections.abc import Sequence

GAP_FROM, GAP_SHARE = 0.50, 0.75
_ROUNDING = 1e-9  # a score equal to the threshold passes

Scores = Sequence[float | None]  # rerank scores from 0 to 1, None where unknown


def refusal(scores: Scores, threshold: float) -> str | None:
    """Return why a context with these rerank scores is refused; None if one reaches `threshold`.

    Only rerank scores are comparable across questions, fused ones are not. If none is known the context is not refused,
    unless there is no candidate at all.

    >>> refusal([0.2, 0.41, None], 0.6)
    'the best rerank score is 0.410, below rerank.safety_threshold = 0.6'
    >>> refusal([0.2, 0.7], 0.6) is None, refusal([None], 0.6) is None, refusal([], 0.6)
    (True, True, 'nothing was found')
    """
    if not scores:
        return "nothing was found"
    known_scores = [score for score in scores if score is not None]
    if not known_scores or max(known_scores) >= threshold:
        return None
    return f"the best rerank score is {max(known_scores):.3f}, below rerank.safety_threshold = {threshold:g}"


def above_share_of_best(scores: Scores, share: float) -> list[bool]:
    """Return which scores are at least `share` of the best; an unknown one always passes.

    >>> above_share_of_best([0.8, 0.4, 0.39, None], 0.5)
    [True, True, False, True]
    """
    best = max((score for score in scores if score is not None), default=0.0)
    return [score is None or score >= share * best - _ROUNDING for score in scores]


def above_gap(scores: Scores) -> list[bool]:
    """Return which scores are at least 0.75 of the best if that is at least 0.5; else all pass.

    >>> above_gap([0.8, 0.6, 0.59]), above_gap([0.49, 0.1])
    ([True, True, False], [True, True])
    """
    best = max((score for score in scores if score is not None), default=0.0)
    return above_share_of_best(scores, GAP_SHARE if best >= GAP_FROM else 0.0)


def conformal_threshold(relevant_scores: Sequence[float], error: float) -> float:
    """Return the score that a relevant snippet reaches with probability of at least 1 - `error`.

    Split conformal prediction (Vovk, Gammerman and Shafer, 2005): of the n scores of snippets known to be relevant,
    the ⌈(n + 1)(1 - error)⌉-th largest. The guarantee holds for questions exchangeable with the calibration set. With
    too few scores (n + 1 < 1 / error) it is 0, so that everything passes.

    >>> conformal_threshold([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1], 0.2)
    0.2
    >>> conformal_threshold([0.9, 0.8], 0.1)
    0.0
    """
    rank = math.ceil((len(relevant_scores) + 1) * (1.0 - error) - _ROUNDING)
    if rank > len(relevant_scores):
        return 0.0
    return sorted(relevant_scores, reverse=True)[rank - 1]
