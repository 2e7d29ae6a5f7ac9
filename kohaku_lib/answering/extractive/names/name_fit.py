"""How well a name fits what is asked for, by what stands in it and beside it."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.evidence.evidence import Sentence
from kohaku_lib.answering.extractive.names.name_spans import NameSpan
from kohaku_lib.answering.extractive.names.places import is_country, is_state
from kohaku_lib.answering.extractive.question.focus import Focus
from kohaku_lib.answering.extractive.text import Token, tokens_of


def name_fit(focus: Focus, sentence: Sentence, span: NameSpan) -> float:
    """Return a bonus for a name that is told to be what is asked for, less for one that cannot be."""
    introduced = span.pattern if focus.sort in {"", "term"} else min(span.pattern, _PLAIN)
    fit = introduced + _told_bonus(focus, sentence, span) + _sort_bonus(focus, sentence.text, span)
    return fit - _short_form(sentence.text, span) - _adjective(sentence.text, span)


_PLAIN = 0.1  # what a name counts that nothing introduces; that of a person or a place needs no introduction
_PEOPLE = re.compile(
    r"(?:[A-Z][\w]*[\s-])?[A-Z]\w*(?:ish|ese|ian|ean|ican|rman|[lsg]an|elsh|ench|utch|reek|wiss|hai|raeli)"
)
_NOUN_AFTER = re.compile(r"\s(?!is\b|was\b|are\b|were\b|has\b|had\b|and\b|in\b|of\b)[a-z]")
_INSIDE_LAST, _INSIDE, _BESIDE = 0.45, 0.35, 0.25
_TOLD, _ALSO, _MOST_ALSO = 0.45, 0.1, 0.2
_FAR = 70  # characters from a name to the word that tells what it is
_TELLS = re.compile(
    r"\s*(?:\([^()]*\)\s*)?(?:,\s*(?:an?|the|who|which|its|his|her|their|one of)\b|"
    r"(?:,\s*)?(?:who |which )?(?:is|was|are|were|became)\b)"
)
_CLAUSE_END = re.compile(r"[;:()]|,\s|\.\s|\b(?:that|which|who|where|in|at|by|from|for|with)\b")
_NAMED = re.compile(r"(?:[,\s\"“‘'(]|\b(?:called|named|known as|titled|of|the|is|was|are)\b)*$")
_PROPER = re.compile(r"(?:[A-Z0-9]\S*\s)+[A-Z0-9]\S*|\S*[a-z0-9.]\S*[A-Z]\S*|[A-Z]{2,}\S*")
_NAME_ASKED = 0.25
_LOCATED = re.compile(r"(?:\b(?:in|at|near|from|to|of|into|within)(?: the)? |, )$")
_ACTS = re.compile(r",? who\b")
_DIGIT = re.compile(r"\d")
_BY = re.compile(r"\bby(?: the)? $")
_PERSONAL = re.compile(
    r"[A-ZÀ-Þ][\w.’'-]+(?: (?:[A-ZÀ-Þ]\.|de|von|van|der|di|da|del|du|la|le|al|[A-ZÀ-Þ][\w’'-]+)){1,3}"
)
_BODY = re.compile(
    r"\b(?:University|Institute|Company|Corporation|Inc|Act|Association|Society|River|Party|Union|Council|Agency|"
    r"Department|School|College|Award|Prize|League|Club|Band|Museum|Church|Republic|Kingdom|States|County|City|Island|"
    r"Championship|Cup|Olympics|Treaty|War|Battle|Center|Centre|Records|Group|Committee|Congress|Government)\b"
)


def _told_bonus(focus: Focus, sentence: Sentence, span: NameSpan) -> float:
    """Return a bonus where the word for what is asked stands in the name, tells what it is, or stands beside it."""
    if not focus.head:
        return 0.0
    inside = [token.stem for token in tokens_of(span.text)]
    if inside[-1:] == [focus.head] and len(inside) > 1:
        return _INSIDE_LAST
    if focus.head in inside:
        return _INSIDE
    told = _words_that_tell(sentence, span)
    if focus.head in told:
        return _TOLD + min(_MOST_ALSO, _ALSO * sum(stem in told for stem in focus.stems[:-1]))
    around = {token.stem for token in _tokens(sentence, span.start - 25, span.end + 25)}
    return _BESIDE if focus.head in around else 0.0


def _words_that_tell(sentence: Sentence, span: NameSpan) -> set[str]:
    """Return the stems right before the name, and those of "…, a …" and "… is a …" after it."""
    text = sentence.text
    before = _NAMED.search(text[: span.start])
    end = before.start() if before is not None else span.start
    told = {token.stem for token in _tokens(sentence, end - 40, end)[-3:]}
    match = _TELLS.match(text, span.end)
    if match is not None:
        stop = _CLAUSE_END.search(text, match.end())
        last = min(stop.start() if stop else len(text), match.end() + _FAR)
        told |= {token.stem for token in _tokens(sentence, match.end(), last)}
    return told


def _tokens(sentence: Sentence, start: int, end: int) -> list[Token]:
    return [token for token in sentence.tokens if start <= token.start and token.end <= end]


def _sort_bonus(focus: Focus, text: str, span: NameSpan) -> float:
    """Return a bonus for a defined term, a person, a country or a place where one is asked, less for another sort."""
    before = text[max(0, span.start - 12) : span.start]
    if focus.sort == "term":
        return 0.3 if span.pattern >= 0.2 else 0.0
    if focus.sort == "country":
        return 0.5 if is_country(span.text) else -0.2
    if focus.sort == "state":
        return 0.5 if is_state(span.text) else -0.2
    if focus.sort == "place":
        return 0.3 if _LOCATED.search(before) else 0.0
    if focus.sort == "person":
        return _person_bonus(text, span, before)
    return 0.0


def _person_bonus(text: str, span: NameSpan, before: str) -> float:
    """Return a bonus for what follows "by", stands before "who" or is built as the name of a person."""
    if _DIGIT.search(span.text) or _BODY.search(span.text) or is_country(span.text) or is_state(span.text):
        return -0.3
    if _ACTS.match(text, span.end):
        return 0.4
    if _BY.search(before):
        return 0.3
    built = 0.2 if _PERSONAL.fullmatch(span.text) else 0.0
    return built - (0.3 if _LOCATED.search(before) else 0.0)


def _adjective(text: str, span: NameSpan) -> float:
    """Return what "Welsh" in "a Welsh player" loses: it tells about a thing that it does not name."""
    alone = _PEOPLE.fullmatch(span.text) is not None and _NOUN_AFTER.match(text, span.end) is not None
    return 0.3 if alone else 0.0


def _short_form(text: str, span: NameSpan) -> float:
    """Return what a short form in brackets after the name that it stands for loses against the name."""
    is_short = text[span.end : span.end + 1] == ")" and re.search(r"[\w.]\s\($", text[: span.start]) is not None
    return 0.4 if is_short else 0.0


def proper_bonus(text: str, span: NameSpan) -> float:
    """Return a bonus for a proper name where the question `text` asks for a name."""
    return _NAME_ASKED if _ASKS_NAME.search(text) and _PROPER.fullmatch(span.text) else 0.0


_ASKS_NAME = re.compile(r"\b(?:name|named|title|titled|who)\b", re.IGNORECASE)
