"""Whether the snippets speak for a claim or against it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kohaku_lib.answering.reader.evidence import Evidence, Sentence
from kohaku_lib.answering.reader.finding import Finding
from kohaku_lib.answering.reader.polarity import (
    absolutes_in,
    hedges_in,
    negations_in,
    numbers_agree,
    opposed,
    window_text,
)
from kohaku_lib.answering.reader.question import QuestionForm


@dataclass(frozen=True, slots=True)
class ClaimSigns:
    """What speaks for and against a claim in one sentence."""

    coverage: float
    negated: int  # 1 where one side is negated and the other not
    opposites: int
    numbers: int
    absolutes: int
    hedges: int


def judge_claim(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return "1" or "0" for a claim with the sentence that says most about it; None without sentences."""
    ranked = sorted(evidence.sentences, key=lambda sentence: -_aboutness(evidence, sentence))[:_READ]
    if not ranked:
        return None
    best = ranked[0]
    belief = claim_belief(claim_signs(form, evidence, best))
    truth = 1 / (1 + math.exp(-belief))
    return Finding("1" if truth >= 0.5 else "0", best.text, (best.document_id,), max(truth, 1 - truth), belief)


def claim_signs(form: QuestionForm, evidence: Evidence, sentence: Sentence) -> ClaimSigns:
    """Return the signs that `sentence` gives about the claim `form.text`."""
    stems = frozenset(form.stems)
    near = window_text(sentence.tokens, sentence.text, stems)
    return ClaimSigns(
        coverage=sentence.own,
        negated=int((negations_in(near) > 0) != (negations_in(form.text) > 0)),
        opposites=opposed(stems, sentence.stems),
        numbers=numbers_agree(form.text, sentence.text),
        absolutes=absolutes_in(form.text),
        hedges=hedges_in(form.text),
    )


def claim_belief(signs: ClaimSigns) -> float:
    """Return the log-odds that the claim is true."""
    return (
        0.2
        + 1.2 * (signs.coverage - 0.5)
        - 1.0 * signs.negated
        - 1.5 * min(signs.opposites, 2)
        + (0.5 if signs.numbers > 0 else -0.7 if signs.numbers < 0 else 0.0)
        - 0.6 * min(signs.absolutes, 2)
        + 0.5 * min(signs.hedges, 2)
    )


_READ = 3


def _aboutness(evidence: Evidence, sentence: Sentence) -> float:
    return sentence.own + sentence.support + 0.3 * evidence.document_to_share[sentence.document_id]
