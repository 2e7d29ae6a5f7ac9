"""Calibrated confidence of a finding by its kind and strength."""

from __future__ import annotations

from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.question.question import Kind


def calibrated_confidence(kind: Kind, finding: Finding) -> float:
    """Return the share of correct answers among labelled findings of this kind and strength, 0 to 1.

    The strength of a number combines its score and its margin over the next best value; that of a claim is the
    log-odds of its verdict; that of a name is its score; that of a choice is its confidence, which is higher for numeric
    evidence than for words. The shares are step functions with few steps.

    >>> calibrated_confidence("number", Finding("4", "It weighs 4 kg.", ("d",), 1.0, score=2.7, margin=0.4))
    0.85
    >>> calibrated_confidence("number", Finding("4", "It weighs 4 kg.", ("d",), 1.0, score=2.7, margin=0.0))
    0.75
    """
    strength = finding_strength(kind, finding)
    return max(share for least, share in _STEPS[kind] if strength >= least)


def finding_strength(kind: Kind, finding: Finding) -> float:
    """Return the dimensionless strength by which answers are binned, comparable within one kind of question only."""
    if kind in {"number", "year"}:
        return 0.6 * finding.score / _FULL_SCORE + 0.4 * min(1.0, finding.margin / _FULL_MARGIN)
    return finding.confidence if kind == "choice" else abs(finding.score)


_FULL_SCORE, _FULL_MARGIN = 2.7, 0.4
_LOWEST = float("-inf")
# Measured in bins of about 30 answers: 394 questions on 32 papers (numbers, claims), a HotpotQA development sample and a
# MuSiQue training sample with their single-hop questions (names, choices). Steps are placed where the shares rise; those
# of numbers and claims are lowered by 0.1, since the extractive reader was developed on some of these questions.
_NUMBERS = ((_LOWEST, 0.35), (0.45, 0.65), (0.6, 0.75), (0.85, 0.85))
_STEPS: dict[Kind, tuple[tuple[float, float], ...]] = {
    "number": _NUMBERS,
    "year": _NUMBERS,
    "claim": ((_LOWEST, 0.5), (0.2, 0.65), (0.4, 0.85)),
    "name": ((_LOWEST, 0.2), (1.45, 0.35), (1.75, 0.5), (2.05, 0.65)),
    "choice": ((_LOWEST, 0.5), (0.75, 0.75)),
}
