"""Questions whether something is allowed, and sentences that forbid it."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.evidence.evidence import Evidence, Sentence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import carries_content, is_akin, tokens_of

_CONFIDENCE = 0.82  # set, not fitted: the fitted sets have no such questions
_LEAST_SAID = 0.6  # share of what the question asks about


def judge_allowed(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return "0" if a question asks whether one may do something and a sentence about most of its words forbids it.

    Of two such sentences the one that says more of the question; None if no sentence does.
    """
    if not _ASKS.match(form.text):
        return None
    forbidding = [one for one in evidence.sentences if _FORBIDS.search(one.text)]
    best = max(forbidding, key=lambda one: _share_said(form.text, one), default=None)
    if best is None or _share_said(form.text, best) < _LEAST_SAID:
        return None
    return Finding("0", best.text, (best.document_id,), _CONFIDENCE)


def _share_said(question: str, sentence: Sentence) -> float:
    """Return the share of the question's content words, but for verbs that all such questions have, that a sentence says."""
    words = {token.stem for token in tokens_of(question) if carries_content(token.surface)} - _GENERAL
    return sum(any(is_akin(word, other) for other in sentence.stems) for word in words) / len(words) if words else 0.0


_ASKS = re.compile(
    r"\s*(?:can|may|could|am i allowed|(?:is|are)\b.*\b(?:allowed|permitted|ok|okay)\b"
    r"|darf|dürfen|kann (?:ich|man)|können wir)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"\b(?:(?:not|never|nicht|no longer) (?:\w+ )?(?:allowed|permitted|erlaubt|gestattet|zulässig)|may not|must not"
    r"|mustn['’]t|forbidden|prohibited|banned|verboten|untersagt|(?:darf|dürfen)\b[^.;]* (?:nicht|keine?[rsnm]?)\b)",
    re.IGNORECASE,
)
_GENERAL = frozenset(
    token.stem
    for token in tokens_of(
        "bring take use have come go get I you we one people allowed permitted ok okay ich man wir mitbringen"
    )
)
