"""Find the best supported name or term for a question without a numeric answer."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from kohaku_lib.answering.extractive.evidence.evidence import Evidence, Sentence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.names.name_fit import name_fit, proper_bonus
from kohaku_lib.answering.extractive.names.name_spans import NameSpan, name_spans
from kohaku_lib.answering.extractive.nearness import nearness
from kohaku_lib.answering.extractive.question.focus import Focus, focus_of
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import carries_content, term_of, tokens_of
from kohaku_lib.index.graph.acronyms import find_definitions

_ACRONYM_QUESTION = re.compile(
    r"\bdoes (?:the (?:acronym|abbreviation|term) )?[\"“']?([A-Z][\w./-]*)[\"”']? stand for\b|"
    r"\b(?:full (?:name|form)|expansion|meaning) of (?:the (?:acronym|abbreviation) )?[\"“']?([A-Z][A-Z\w./-]*)"
)


@dataclass(frozen=True, slots=True)
class NameCandidate:
    """A name, its sentence, and their combined score."""

    span: NameSpan
    sentence: Sentence
    score: float


def find_name(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the name or term closest to the question's terms that is not in the question."""
    expansion = find_expansion(form, evidence)
    if expansion is not None:
        return expansion
    candidates = name_candidates(form, evidence)
    if not candidates:
        return None
    best = candidates[0]
    name = _strip_footnote_mark(best.span.text, _count_names(evidence))
    other = next((one.score for one in candidates if one.span.text.lower() != best.span.text.lower()), 0.0)
    return Finding(
        name,
        best.sentence.text,
        (best.sentence.document_id,),
        min(1.0, best.score / 3),
        best.score,
        best.sentence.support,
        best.score - other,
    )


def name_candidates(form: QuestionForm, evidence: Evidence) -> list[NameCandidate]:
    """Return all candidate names, best first; ties are in retrieval order."""
    focus = focus_of(form.text)
    question_stems = frozenset(form.stems)
    entity_stems = frozenset(token.stem for name in form.entities for token in tokens_of(name)) - frozenset(focus.stems)
    counts = _count_names(evidence)
    found = [
        NameCandidate(
            span,
            sentence,
            _score(form, evidence, sentence, span, focus, counts) - _echo_penalty(span, entity_stems),
        )
        for sentence in evidence.sentences
        for span in name_spans(sentence.text)
        if _adds_information(span.text, question_stems)
    ]
    return sorted(found, key=lambda candidate: -candidate.score)


_UNITS = r"[kMGTm]?(?:Wh|W|J|B|g|s|L|Hz)(?:/\w+)?"


_ECHO_PENALTY = 0.5


_FOOTNOTE_MARK = re.compile(r" ?\d{1,2}$")


_DATE = re.compile(
    r"(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{1,4})?(?:,? \d{4})?"
)


_MEASURE = re.compile(rf"{_UNITS}|[kMG]?t?g?CO2?e?(?:q)?(?:/\w+)?|USD|FLOPs?|FLOPS|AI|ML|LLMs?|et al")


def _count_names(evidence: Evidence) -> Counter[str]:
    return Counter(span.text.lower() for sentence in evidence.sentences for span in name_spans(sentence.text))


def _adds_information(text: str, question_stems: frozenset[str]) -> bool:
    stems = [token.stem for token in tokens_of(text) if carries_content(token.surface)]
    if _MEASURE.fullmatch(text) or _DATE.fullmatch(text):
        return False
    return (
        bool(stems) and any(stem not in question_stems for stem in stems) and any(stem[0].isalpha() for stem in stems)
    )


def _score(
    form: QuestionForm, evidence: Evidence, sentence: Sentence, span: NameSpan, focus: Focus, counts: Counter[str]
) -> float:
    near = nearness(evidence.stem_to_weight, sentence, (span.start, span.end))
    return (
        0.5 * sentence.coverage
        + 0.5 * sentence.support
        + 0.9 * near
        + name_fit(focus, sentence, span)
        + proper_bonus(form.text, span)
        + 0.3 * evidence.document_to_share[sentence.document_id]
        + 0.1 / (1 + sentence.rank)
        + 0.03 * min(counts[span.text.lower()], 4)
        - _common_word_penalty(evidence, span)
    )


def _echo_penalty(span: NameSpan, entity_stems: frozenset[str]) -> float:
    """Return the penalty for the share of the name's words that are in the question's own names."""
    stems = [token.stem for token in tokens_of(span.text)]
    return _ECHO_PENALTY * sum(stem in entity_stems for stem in stems) / max(1, len(stems))


def _strip_footnote_mark(name: str, counts: Counter[str]) -> str:
    """Return `name` without a trailing number (a footnote mark) if the bare name is at least as frequent."""
    bare = _FOOTNOTE_MARK.sub("", name)
    return bare if bare != name and counts[bare.lower()] >= counts[name.lower()] else name


def _common_word_penalty(evidence: Evidence, span: NameSpan) -> float:
    words = span.text.split()
    alone = len(words) == 1 and words[0][1:].islower() and words[0].isalpha()
    return 0.25 if alone and span.start == 0 and term_of(words[0]) in evidence.stems else 0.0


def find_expansion(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the expansion of the requested acronym; None for other questions or if no sentence defines it."""
    match = _ACRONYM_QUESTION.search(form.text)
    if match is None:
        return None
    acronym = match.group(1) or match.group(2)
    for sentence in evidence.sentences:
        for found in find_definitions(sentence.text):
            if found.acronym == acronym.removesuffix("s"):
                support = sentence.support
                return Finding(found.long_form, sentence.text, (sentence.document_id,), 0.9, support, support)
    return None
