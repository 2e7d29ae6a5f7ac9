"""The quality of the answers' confidence, and the effect of leaving uncertain answers blank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kohaku_lib.evaluation.abstention.coverage_risk import RiskCurve, risk_curve
from kohaku_lib.evaluation.abstention.recalibration import brier_score, cross_fitted
from kohaku_lib.evaluation.abstention.signals import ORDER, STATED
from kohaku_lib.evaluation.abstention.threshold import Abstention, ScoredAnswer, choose_abstention
from kohaku_lib.evaluation.report.shares import Share

COMBINED = "all together, cross-fitted"
_MIN_ANSWERS = 10  # fewer are not informative
_BINS = 5
_MIN_STEP = 0.04


@dataclass(frozen=True, slots=True)
class SignalFacts:
    """The quality of one signal over `n` answers.

    `brier` is the Brier score of the signal as a probability, None if it is not one; `fitted_brier` that of its
    cross-fitted probability; `base_brier` that of the constant share of right answers.
    """

    name: str
    n: int
    curve: RiskCurve
    brier: float | None
    fitted_brier: float
    base_brier: float


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Answers of similar confidence: the mean confidence, and the share of right answers."""

    confidence: float
    share: Share


@dataclass(frozen=True, slots=True)
class ConfidenceAssessment:
    """The signals, the first of which is the confidence of the answers, and the effect of a threshold on it.

    `probabilities` are those of the main signal by question, as stated, or fitted if it is not a probability; `bins`
    group them.
    """

    questions: int
    signals: tuple[SignalFacts, ...]
    probabilities: Mapping[str, float]
    bins: tuple[ConfidenceBin, ...]
    abstention: Abstention

    @property
    def main(self) -> SignalFacts:
        """The signal that serves as the confidence of the answers."""
        return self.signals[0]

    @property
    def is_informative(self) -> bool:
        """Whether some answers are right and some wrong, so that their order matters."""
        return self.main.curve.separation is not None


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer, its signals of confidence, whether it is right, and the cluster of its question."""

    id: str
    right: bool
    answerable: bool
    signals: Mapping[str, float]
    cluster: str | None = None


def assess_confidence(
    answers: Sequence[JudgedAnswer], questions: int, blank_cost: float
) -> ConfidenceAssessment | None:
    """Return the quality of the confidence signals of the `answers`; `questions` is their number, with the unanswered ones.

    Only signals are used that every answer has and that differ between answers. None for fewer than ten answers, or if
    there is no such signal.
    """
    if len(answers) < _MIN_ANSWERS:
        return None
    values_by_signal = {name: np.array([answer.signals.get(name, np.nan) for answer in answers]) for name in ORDER}
    usable_signals = {name: values for name, values in values_by_signal.items() if np.ptp(values) > 0}
    if not usable_signals:
        return None
    main, *_ = usable_signals
    fitted_chances = _fitted_probabilities(answers, {main: usable_signals[main]})
    chances = usable_signals[main] if main in STATED else fitted_chances
    facts = [_signal_facts(name, values, answers, questions) for name, values in usable_signals.items()]
    facts += [_combined_facts(answers, usable_signals, questions)] if len(usable_signals) > 1 else []
    outcomes = [
        ScoredAnswer(answer.id, float(chance), answer.right, answer.answerable, answer.cluster)
        for answer, chance in zip(answers, chances, strict=True)
    ]
    return ConfidenceAssessment(
        questions,
        tuple(facts),
        {answer.id: answer.confidence for answer in outcomes},
        _confidence_bins(outcomes),
        choose_abstention(outcomes, blank_cost),
    )


def _signal_facts(name: str, values: np.ndarray, answers: Sequence[JudgedAnswer], questions: int) -> SignalFacts:
    right = [answer.right for answer in answers]
    brier = brier_score(values, right) if name in STATED else None
    fitted_brier = brier_score(_fitted_probabilities(answers, {name: values}), right)
    return _build_facts(name, values, answers, questions, brier, fitted_brier)


def _combined_facts(answers: Sequence[JudgedAnswer], signals: Mapping[str, np.ndarray], questions: int) -> SignalFacts:
    chances = _fitted_probabilities(answers, signals)
    brier = brier_score(chances, [answer.right for answer in answers])
    return _build_facts(COMBINED, chances, answers, questions, None, brier)


def _build_facts(
    name: str,
    values: np.ndarray,
    answers: Sequence[JudgedAnswer],
    questions: int,
    brier: float | None,
    fitted_brier: float,
) -> SignalFacts:
    right = [answer.right for answer in answers]
    curve = risk_curve(values.tolist(), right, questions, [answer.cluster for answer in answers])
    return SignalFacts(
        name, len(right), curve, brier, fitted_brier, brier_score(np.full(len(right), np.mean(right)), right)
    )


def _fitted_probabilities(answers: Sequence[JudgedAnswer], usable: Mapping[str, np.ndarray]) -> np.ndarray:
    stated = next((values for name, values in usable.items() if name in STATED), None)
    others = [values for name, values in usable.items() if values is not stated]
    signals = np.column_stack(others) if others else np.empty((len(answers), 0))
    return cross_fitted([answer.id for answer in answers], [answer.right for answer in answers], signals, stated)


def _confidence_bins(answers: Sequence[ScoredAnswer]) -> tuple[ConfidenceBin, ...]:
    """Return up to five groups of similar size by ascending confidence; equal confidences are not split."""
    by_confidence = sorted(answers, key=lambda answer: answer.confidence)
    levels = sorted({answer.confidence for answer in by_confidence})
    if len(levels) <= _BINS + 1:
        groups = [[answer for answer in by_confidence if answer.confidence == level] for level in levels]
    else:
        groups = _merge_close(_even_groups(by_confidence))
    return tuple(
        ConfidenceBin(
            _mean_confidence(group),
            Share("", sum(answer.right for answer in group), len(group)),
        )
        for group in groups
    )


def _merge_close(groups: Sequence[list[ScoredAnswer]]) -> list[list[ScoredAnswer]]:
    """Merge groups whose means are too close to be distinguished in a picture."""
    merged_groups: list[list[ScoredAnswer]] = []
    for group in groups:
        if merged_groups and _mean_confidence(group) - _mean_confidence(merged_groups[-1]) < _MIN_STEP:
            merged_groups[-1] = [*merged_groups[-1], *group]
        else:
            merged_groups.append(group)
    return merged_groups


def _mean_confidence(group: Sequence[ScoredAnswer]) -> float:
    return float(np.mean([answer.confidence for answer in group]))


def _even_groups(by_confidence: Sequence[ScoredAnswer]) -> list[list[ScoredAnswer]]:
    groups: list[list[ScoredAnswer]] = [[]]
    for place, answer in enumerate(by_confidence):
        is_full = len(groups[-1]) >= len(by_confidence) / _BINS
        if is_full and answer.confidence != by_confidence[place - 1].confidence:
            groups.append([])
        groups[-1].append(answer)
    return groups
