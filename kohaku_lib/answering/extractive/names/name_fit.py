"""Score how well a name matches the focus of a question, by its words and its context."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.evidence.evidence import Sentence
from kohaku_lib.answering.extractive.names.name_spans import NameSpan
from kohaku_lib.answering.extractive.question.focus import Focus
from kohaku_lib.answering.extractive.text import Token, tokens_of
from kohaku_lib.text.countries import is_country, is_state


def name_fit(focus: Focus, sentence: Sentence, span: NameSpan) -> float:
    """Return a bonus for a name described as the requested thing, a penalty for one of another type."""
    introduced = span.pattern if focus.name_type in {"", "term"} else min(span.pattern, _MIN_PATTERN)
    fit = introduced + _role_bonus(focus, sentence, span) + _type_bonus(focus, sentence.text, span)
    return fit - _abbreviation_penalty(sentence.text, span) - _adjective_penalty(sentence.text, span)


_MIN_PATTERN = 0.1  # strength of a name without introduction; persons and places need none
_DEMONYM = re.compile(
    r"(?:[A-Z][\w]*[\s-])?[A-Z]\w*(?:ish|ese|ian|ean|ican|rman|[lsg]an|elsh|ench|utch|reek|wiss|hai|raeli)"
)
_NOUN_AFTER = re.compile(r"\s(?!is\b|was\b|are\b|were\b|has\b|had\b|and\b|in\b|of\b)[a-z]")
_INSIDE_LAST, _INSIDE, _BESIDE = 0.45, 0.35, 0.25
_DESCRIBED, _MODIFIER_BONUS, _MAX_MODIFIER_BONUS = 0.45, 0.1, 0.2
_MAX_DESCRIPTION_CHARS = 70  # maximum characters of the description after a name
_DESCRIPTION_START = re.compile(
    r"\s*(?:\([^()]*\)\s*)?(?:,\s*(?:an?|the|who|which|its|his|her|their|one of)\b|"
    r"(?:,\s*)?(?:who |which )?(?:is|was|are|were|became)\b)"
)
_CLAUSE_END = re.compile(r"[;:()]|,\s|\.\s|\b(?:that|which|who|where|in|at|by|from|for|with)\b")
_NAME_LEAD_IN = re.compile(r"(?:[,\s\"“‘'(]|\b(?:called|named|known as|titled|of|the|is|was|are)\b)*$")
_PROPER = re.compile(r"(?:[A-Z0-9]\S*\s)+[A-Z0-9]\S*|\S*[a-z0-9.]\S*[A-Z]\S*|[A-Z]{2,}\S*")
_PROPER_NAME_BONUS = 0.25
_LOCATED = re.compile(r"(?:\b(?:in|at|near|from|to|of|into|within)(?: the)? |, )$")
_WHO_AFTER = re.compile(r",? who\b")
_DIGIT = re.compile(r"\d")
_BY_BEFORE = re.compile(r"\bby(?: the)? $")
_PERSONAL = re.compile(
    r"[A-ZÀ-Þ][\w.’'-]+(?: (?:[A-ZÀ-Þ]\.|de|von|van|der|di|da|del|du|la|le|al|[A-ZÀ-Þ][\w’'-]+)){1,3}"
)
_ORGANISATION = re.compile(
    r"\b(?:University|Institute|Company|Corporation|Inc|Act|Association|Society|River|Party|Union|Council|Agency|"
    r"Department|School|College|Award|Prize|League|Club|Band|Museum|Church|Republic|Kingdom|States|County|City|Island|"
    r"Championship|Cup|Olympics|Treaty|War|Battle|Center|Centre|Records|Group|Committee|Congress|Government)\b"
)


def _role_bonus(focus: Focus, sentence: Sentence, span: NameSpan) -> float:
    """Return a bonus if the head noun of the focus is part of the name, describes it or is close to it."""
    if not focus.head:
        return 0.0
    inside = [token.stem for token in tokens_of(span.text)]
    if inside[-1:] == [focus.head] and len(inside) > 1:
        return _INSIDE_LAST
    if focus.head in inside:
        return _INSIDE
    description = _describing_stems(sentence, span)
    if focus.head in description:
        return _DESCRIBED + min(
            _MAX_MODIFIER_BONUS, _MODIFIER_BONUS * sum(stem in description for stem in focus.stems[:-1])
        )
    around = {token.stem for token in _tokens_between(sentence, span.start - 25, span.end + 25)}
    return _BESIDE if focus.head in around else 0.0


def _describing_stems(sentence: Sentence, span: NameSpan) -> set[str]:
    """Return the stems directly before the name, and those of an apposition ("…, a …") or predicate ("… is a …") after it."""
    text = sentence.text
    before = _NAME_LEAD_IN.search(text[: span.start])
    end = before.start() if before is not None else span.start
    found = {token.stem for token in _tokens_between(sentence, end - 40, end)[-3:]}
    match = _DESCRIPTION_START.match(text, span.end)
    if match is not None:
        stop = _CLAUSE_END.search(text, match.end())
        last = min(stop.start() if stop else len(text), match.end() + _MAX_DESCRIPTION_CHARS)
        found |= {token.stem for token in _tokens_between(sentence, match.end(), last)}
    return found


def _tokens_between(sentence: Sentence, start: int, end: int) -> list[Token]:
    return [token for token in sentence.tokens if start <= token.start and token.end <= end]


def _type_bonus(focus: Focus, text: str, span: NameSpan) -> float:
    """Return a bonus for a defined term, person, country or place if requested, a penalty for another type."""
    before = text[max(0, span.start - 12) : span.start]
    if focus.name_type == "term":
        return 0.3 if span.pattern >= 0.2 else 0.0
    if focus.name_type == "country":
        return 0.5 if is_country(span.text) else -0.2
    if focus.name_type == "state":
        return 0.5 if is_state(span.text) else -0.2
    if focus.name_type == "place":
        return 0.3 if _LOCATED.search(before) else 0.0
    if focus.name_type == "person":
        return _person_bonus(text, span, before)
    return 0.0


def _person_bonus(text: str, span: NameSpan, before: str) -> float:
    """Return a bonus for a name after "by", before "who" or in the form of a personal name."""
    if _DIGIT.search(span.text) or _ORGANISATION.search(span.text) or is_country(span.text) or is_state(span.text):
        return -0.3
    if _WHO_AFTER.match(text, span.end):
        return 0.4
    if _BY_BEFORE.search(before):
        return 0.3
    built = 0.2 if _PERSONAL.fullmatch(span.text) else 0.0
    return built - (0.3 if _LOCATED.search(before) else 0.0)


def _adjective_penalty(text: str, span: NameSpan) -> float:
    """Return the penalty of a demonym used as an adjective, such as "Welsh" in "a Welsh player"."""
    alone = _DEMONYM.fullmatch(span.text) is not None and _NOUN_AFTER.match(text, span.end) is not None
    return 0.3 if alone else 0.0


def _abbreviation_penalty(text: str, span: NameSpan) -> float:
    """Return the penalty of a bracketed abbreviation after its long form."""
    is_short = text[span.end : span.end + 1] == ")" and re.search(r"[\w.]\s\($", text[: span.start]) is not None
    return 0.4 if is_short else 0.0


def proper_bonus(text: str, span: NameSpan) -> float:
    """Return a bonus for a proper name if the question `text` requests a name."""
    return _PROPER_NAME_BONUS if _ASKS_NAME.search(text) and _PROPER.fullmatch(span.text) else 0.0


_ASKS_NAME = re.compile(r"\b(?:name|named|title|titled|who)\b", re.IGNORECASE)
