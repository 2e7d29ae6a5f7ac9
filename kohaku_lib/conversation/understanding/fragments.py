"""Follow-ups that only name another thing, year or place: "and B1?", "in Lyon?", "what about 2022?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.conversation.understanding.phrases import Phrase, joined_phrases, phrases_inside, phrases_of
from kohaku_lib.conversation.understanding.wording import (
    AUXILIARIES,
    COMMANDS,
    MONTHS,
    QUESTION_WORDS,
    WORD,
    is_code,
    is_german,
    is_name,
)


def is_fragment(text: str) -> bool:
    """Return whether `text` is no clause: neither a question word, an auxiliary nor a command stands in it.

    >>> [is_fragment(text) for text in ("the B1 course", "in Lyon", "who teaches it", "list all sites")]
    [True, True, False, False]
    """
    tokens = [word.lower() for word in WORD.findall(text) if word != "May"]
    has_verb = any(word in QUESTION_WORDS | AUXILIARIES for word in tokens) or (bool(tokens) and tokens[0] in COMMANDS)
    return bool(tokens) and not has_verb


def is_addition(fragment: str) -> bool:
    """Return whether a fragment is a year, or begins with a preposition, and so asks nothing alone.

    >>> [is_addition(fragment) for fragment in ("2022", "in Lyon", "the B1 course")]
    [True, True, False]
    """
    return _YEAR.fullmatch(fragment) is not None or _PREPOSITION.match(fragment) is not None


def names_a_quality(fragment: str, before: str) -> bool:
    """Return whether a fragment may be a quality of what the question `before` is about: no name, and of no kind there.

    >>> names_a_quality("the price", "Who teaches the B1 course?"), names_a_quality("the C1 course", "Who teaches the B1 course?")
    (True, False)
    """
    phrases = phrases_inside(fragment, before)
    heads = {one.head for one in phrases_of(before)}
    is_thing = len(phrases) == 1 and not (is_name(fragment) or any(map(is_code, fragment.split())))
    return is_thing and phrases[0].head not in heads and not is_addition(fragment)


def tells_whose(fragment: str, before: str) -> bool:
    """Return whether a fragment is complete, as it says whose quality it asks for, and `before` asks for another.

    >>> tells_whose("the price of the X300", "How much does the X200 weigh?")
    True
    >>> tells_whose("the price of the X300", "What is the price of the X200?")
    False
    """
    phrases = phrases_inside(fragment, before)
    heads = {one.head for one in phrases_of(before)}
    return _OWNER.search(fragment) is not None and bool(phrases) and phrases[0].head not in heads - {""}


def stands_alone(fragment: str, before: str, said: Sequence[str]) -> bool:
    """Return whether a fragment that no "and" begins is a query of its own: it names nothing of the kind that was asked about.

    `before` is the question before, `said` are the texts of the conversation.

    >>> stands_alone("vacation policy", "What does the A1 course cost?", ()), stands_alone("B1", "What does A1 cost?", ())
    (True, False)
    """
    if is_addition(fragment):
        return False
    phrases = phrases_inside(fragment, before)
    if len(phrases) != 1 or phrases[0].text != fragment:
        return True
    [own], earlier = phrases, phrases_of(before)
    if any(own.head and own.head == one.head for one in earlier):
        return False
    if is_code(own.name):
        return _last_code(before) is None
    is_told = is_name(own.name) and any(own.name in text for text in said)
    return not (is_told and any(one.is_named for one in earlier))


def swapped(fragment: str, before: str, said: Sequence[str]) -> str:
    """Return the question `before` about what `fragment` names: in the place of the like, else of the last thing, else added.

    A year takes the place of a year, "in Lyon" that of "in Paris", "the B1 course" that of "the A1 course", a name that of
    a name. What the texts `said` call "in X" is a place.

    >>> swapped("in 2022", "How much did the workshop use in 2023?", ())
    'How much did the workshop use in 2022?'
    >>> swapped("in Lyon", "When does the B1 course start?", ())
    'When does the B1 course start in Lyon?'
    """
    year = re.fullmatch(rf"(?:\w+\s+)?({_YEAR.pattern})", fragment)
    if year is not None:
        years = list(_YEAR.finditer(before))
        lead = "" if " " in fragment or is_german(before) else "in "
        return _put(before, years[-1].span(), year[1]) if years else _added(before, lead + fragment)
    if owner := _OWNER.search(fragment):
        fragment = owner[1]
    preposition = _PREPOSITION.match(fragment)
    if preposition is None and (place := _place_of(fragment, said)):
        fragment = f"{place} {fragment}"
        preposition = _PREPOSITION.match(fragment)
    if preposition is not None:
        span = _object_span(preposition[1], fragment[preposition.end() :], before)
        return _put(before, span, fragment[preposition.end() :]) if span else _added(before, fragment)
    return _with_like(fragment, before) or _added(before, fragment)


def _place_of(name: str, said: Sequence[str]) -> str | None:
    """Return the preposition with which `said` names a place; None if it names none of that name."""
    found = (re.search(rf"\b(in|near|at)\s+{re.escape(name)}\b", text) for text in said)
    return next((one[1] for one in found if one is not None), None) if is_name(name) and not is_code(name) else None


def _object_span(preposition: str, what: str, before: str) -> tuple[int, int] | None:
    """Return where `before` has a thing or a time like `what` after `preposition`; None if nowhere."""
    for phrase in reversed(phrases_of(before)):
        lead = before[: phrase.start].rstrip().rpartition(" ")[2].lower()
        is_same = preposition.lower() in (lead, phrase.article.lower()) and _is_time(phrase.name) == _is_time(what)
        if is_same:
            return (phrase.start if lead == preposition.lower() else phrase.end - len(phrase.name)), phrase.end
    return None


def _with_like(fragment: str, before: str) -> str | None:
    """Return `before` with `fragment` in the place of what is of its kind, else of the last code, name or thing."""
    phrases = [one for one in phrases_of(before) if not _is_time(one.name)]
    own = (phrases_inside(fragment, before) or [None])[-1]
    if own is None or not phrases:
        return None
    kin = [one for one in phrases if own.head and one.head == own.head]
    code = _last_code(before)
    if kin:
        first = own.name.split()[0]
        shared = re.search(rf"\b{re.escape(first)}\b.*", kin[-1].name)
        start = kin[-1].end - len(shared[0]) if shared is not None else 0
        return _put(before, (start, kin[-1].end), own.name) if start else _put(before, _span(kin[-1], own), fragment)
    if is_code(own.name) and code is not None:
        return _put(before, code, own.name)
    named = [one for one in phrases if one.is_named] if own.is_named else []
    subject = next((one for one in joined_phrases(before) if one.is_subject and one.article), None)
    asked_of = [one for one in phrases if subject and not own.is_named and subject.start <= one.start < subject.end]
    return _put(before, _span((named or asked_of or phrases)[-1], own), fragment)


def _span(phrase: Phrase, own: Phrase) -> tuple[int, int]:
    """Return the place of a phrase, with its article where the new one has its own or is a name."""
    keeps_article = not (own.article or own.is_named or re.match("an?$|ein", phrase.article))
    return (phrase.end - len(phrase.name) if keeps_article else phrase.start), phrase.end


def _last_code(text: str) -> tuple[int, int] | None:
    codes = [found.span() for found in WORD.finditer(text) if is_code(found[0])]
    return codes[-1] if codes else None


def _put(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


def _added(question: str, fragment: str) -> str:
    return f"{question.rstrip('?.! ')} {fragment}?"


def _is_time(name: str) -> bool:
    return any(word.lower() in MONTHS or _YEAR.fullmatch(word) for word in name.split())


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_OWNER = re.compile(r"\b(?:of|von)\s+(.+)$", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"(in|at|near|within|for|from|to|with|without|on|during|by|im|am|für|von|aus|nach|bei|mit|ohne|auf|zu)\s+",
    re.IGNORECASE,
)
