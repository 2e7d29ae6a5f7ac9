"""Claims that one sentence says again, or denies, in nearly the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kohaku_lib.answering.extractive.claims.claims import claim_signs
from kohaku_lib.answering.extractive.claims.polarity import negations_in
from kohaku_lib.answering.extractive.evidence.evidence import Evidence, Sentence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.openings import opens_document
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import carries_content, is_akin, tokens_of
from kohaku_lib.tables import Snippet

# Measured on the claims of SciFact over their abstracts (30 of 34 said again in all words are true, 2 of 4 denied are
# false) and on simpler texts (6 of 6 denied).
_CONFIDENCE = {"1": 0.88, "0": 0.8}
_LEAST_DENIED = 0.75  # share of the claim's words
_LEAST_WORDS = 2  # beside the names of the document
_SENTENCE_END = re.compile(r"[.!?][\"”’)]*\s*$")


def judge_restated(form: QuestionForm, evidence: Evidence, snippets: Sequence[Snippet]) -> Finding | None:
    """Return "1" if a sentence has all content words of a claim and nothing against it, "0" if it negates most of them.

    Names in the title or the first paragraphs of a document need not be in the sentence. None if no sentence says it so.
    """
    names = _names_by_document(snippets)
    best = max(
        (sentence for sentence in evidence.sentences if _SENTENCE_END.search(sentence.text)),
        key=lambda sentence: _coverage(form, sentence, names[sentence.document_id]),
        default=None,
    )
    if best is None:
        return None
    verdict = _verdict(form, evidence, best, _coverage(form, best, names[best.document_id]))
    return None if verdict is None else Finding(verdict, best.text, (best.document_id,), _CONFIDENCE[verdict])


def _verdict(form: QuestionForm, evidence: Evidence, sentence: Sentence, coverage: float) -> str | None:
    signs = claim_signs(form, evidence, replace(sentence, caveat=""))
    is_one_negated = (negations_in(sentence.text) > 0) != (negations_in(form.text) > 0)
    if is_one_negated and signs.denied:
        return "0" if coverage >= _LEAST_DENIED else None
    is_against = is_one_negated or signs.denied or signs.opposites > 0 or signs.numbers < 0
    return "1" if coverage == 1.0 and not is_against else None


def _coverage(form: QuestionForm, sentence: Sentence, names: frozenset[str]) -> float:
    words = {token.stem for token in tokens_of(form.text) if carries_content(token.surface)}
    own = words - names if len(words - names) >= _LEAST_WORDS else words
    return sum(any(is_akin(word, other) for other in sentence.stems) for word in own) / len(own) if own else 0.0


def _names_by_document(snippets: Sequence[Snippet]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for snippet in snippets:
        own = found.setdefault(snippet.document_id, set())
        own.update(token.stem for token in tokens_of(snippet.place))
        if opens_document(snippet.node_id):
            own.update(token.stem for token in tokens_of(snippet.text) if token.surface[0].isupper())
    return {document: frozenset(stems) for document, stems in found.items()}
