"""Recalibration of confidence signals to probabilities by logistic regression."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kohaku_lib.evaluation.abstention.threshold import folds

_RIDGE = 1.0  # shrinkage of each weight towards its prior, about the influence of one question
_INTERCEPT_RIDGE = 1e-3
_NEWTON_STEPS = 20


def cross_fitted(
    ids: Sequence[str], right: Sequence[bool], signals: np.ndarray, stated: np.ndarray | None = None
) -> np.ndarray:
    """Return the cross-fitted probability of each labelled answer to be right, (n,), by its `signals`, (n, signals).

    Logistic regression (Platt 1999) on standardised signals, with weights shrunk towards 0. The log-odds of a `stated`
    probability, (n,), are a further feature whose weight is shrunk towards 1, so that few labels hardly change it.
    Each answer is predicted by the model fitted without its fold.

    >>> stated = np.array([0.9, 0.8, 0.7, 0.3, 0.2, 0.1])
    >>> cross_fitted(list("abcdef"), [True, True, False, True, False, False], np.empty((6, 0)), stated).round(2).tolist()
    [0.85, 0.73, 0.82, 0.18, 0.27, 0.15]
    """
    parts = np.array(folds(ids))
    labels = np.asarray(right, dtype=np.float64)
    probabilities = np.empty(len(labels))
    for part in np.unique(parts):
        in_fold = parts == part
        probabilities[in_fold] = _predict_probabilities(
            signals[~in_fold], _rows_of(stated, ~in_fold), labels[~in_fold], signals[in_fold], _rows_of(stated, in_fold)
        )
    return probabilities


def brier_score(chances: Sequence[float] | np.ndarray, right: Sequence[bool]) -> float:
    """Return the mean squared error of the probabilities `chances`, (n,); 0 is perfect, 0.25 that of a coin toss.

    >>> round(brier_score([0.9, 0.2], [True, False]), 3)
    0.025
    """
    return float(np.mean((np.asarray(chances) - np.asarray(right, dtype=np.float64)) ** 2))


def _predict_probabilities(
    signals: np.ndarray,
    stated: np.ndarray | None,
    right: np.ndarray,
    new_signals: np.ndarray,
    new_stated: np.ndarray | None,
) -> np.ndarray:
    centre, spread = (signals.mean(axis=0), signals.std(axis=0)) if len(signals) else (0.0, 1.0)
    scale = np.where(np.asarray(spread) > 1e-12, spread, 1.0)
    weights = _fit_weights(_design_matrix((signals - centre) / scale, stated), right, stated is not None)
    return _logistic(_design_matrix((new_signals - centre) / scale, new_stated), weights)


def _design_matrix(signals: np.ndarray, stated: np.ndarray | None) -> np.ndarray:
    columns = [np.ones(len(signals)), signals]
    return np.column_stack(columns if stated is None else [*columns, _log_odds(stated)])


def _fit_weights(design: np.ndarray, right: np.ndarray, has_stated: bool) -> np.ndarray:
    """Fit the weights by Newton's method; one right and one wrong pseudo-answer keep probabilities from 0 and 1."""
    prior = np.zeros(design.shape[1])
    ridge = np.full(design.shape[1], _RIDGE)
    if has_stated:
        prior[-1] = 1.0
    else:
        ridge[0] = _INTERCEPT_RIDGE
        design = np.vstack([design, np.eye(1, design.shape[1]).repeat(2, axis=0)])
        right = np.concatenate([right, [0.0, 1.0]])
    weights = np.zeros(design.shape[1])
    for _ in range(_NEWTON_STEPS):
        chance = _logistic(design, weights)
        gradient = design.T @ (right - chance) - ridge * (weights - prior)
        curvature = (design.T * (chance * (1.0 - chance))) @ design + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        # A full step may overshoot at extreme probabilities; a fraction of it always improves the loss.
        while (
            _ridge_loss(design, right, weights + step, prior, ridge)
            > _ridge_loss(design, right, weights, prior, ridge) + 1e-12
        ):
            step = step / 2.0
        weights = weights + step
    return weights


def _ridge_loss(
    design: np.ndarray, right: np.ndarray, weights: np.ndarray, prior: np.ndarray, ridge: np.ndarray
) -> float:
    odds = design @ weights
    return float(np.logaddexp(0.0, odds).sum() - right @ odds + (ridge * (weights - prior) ** 2).sum() / 2.0)


def _logistic(design: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -30.0, 30.0)))


def _log_odds(chances: np.ndarray) -> np.ndarray:
    clipped = np.clip(chances, 1e-4, 1.0 - 1e-4)
    return np.log(clipped / (1.0 - clipped))


def _rows_of(values: np.ndarray | None, mask: np.ndarray) -> np.ndarray | None:
    return None if values is None else values[mask]
