"""How often a finding of its kind and strength is right."""

from __future__ import annotations

from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.question.question import Kind


def share_right(kind: Kind, finding: Finding) -> float:
    """Return the share of answers as strong as `finding` that were right on labelled questions, 0 to 1.

    A number is strong by its score and by its lead over the best other value, a claim by how much speaks for its
    verdict, a name by its score, a choice by whether numbers or only words tell for it. Few coarse steps.

    >>> share_right("number", Finding("4", "It weighs 4 kg.", ("d",), 1.0, score=2.7, margin=0.4))
    0.85
    >>> share_right("number", Finding("4", "It weighs 4 kg.", ("d",), 1.0, score=2.7, margin=0.0))
    0.75
    """
    strength = finding_strength(kind, finding)
    return max(share for least, share in _STEPS[kind] if strength >= least)


def finding_strength(kind: Kind, finding: Finding) -> float:
    """Return what the shares are counted by: a number without unit, comparable within one kind of question only."""
    if kind in {"number", "year"}:
        return 0.6 * finding.score / _FULL_SCORE + 0.4 * min(1.0, finding.margin / _FULL_MARGIN)
    return finding.confidence if kind == "choice" else abs(finding.score)


_FULL_SCORE, _FULL_MARGIN = 2.7, 0.4
_LEAST = float("-inf")
# Counted in bins of about thirty answers: 394 questions on 32 papers (numbers, claims), HotpotQA's development sample
# and MuSiQue's training sample with their single steps (names, choices). Taken where the shares rise, and a tenth
# lower for numbers and claims, since the reader was developed on some of these questions.
_NUMBERS = ((_LEAST, 0.35), (0.45, 0.65), (0.6, 0.75), (0.85, 0.85))
_STEPS: dict[Kind, tuple[tuple[float, float], ...]] = {
    "number": _NUMBERS,
    "year": _NUMBERS,
    "claim": ((_LEAST, 0.5), (0.2, 0.65), (0.4, 0.85)),
    "name": ((_LEAST, 0.2), (1.45, 0.35), (1.75, 0.5), (2.05, 0.65)),
    "choice": ((_LEAST, 0.5), (0.75, 0.75)),
}
