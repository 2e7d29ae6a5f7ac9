"""Questions that all rows of a table or items of a list answer together, and the rows that answer them alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.answering.extractive.reader.asked import content_words
from kohaku_lib.answering.extractive.reader.passages import Line, Passage
from kohaku_lib.text.dates import plain_dates


def asks_for_whole(question: str) -> bool:
    """Return whether a question counts what is listed, or asks for a sum, a mean, or the largest or smallest of a list.

    >>> [asks_for_whole(text) for text in ("How many projects are listed?", "Which hall is the largest?", "Who is Ann?")]
    [True, True, False]
    """
    return any(kind.search(question) for kind, _ in _KINDS)


def lines_alone(question: str, passage: Passage) -> Sequence[Line]:
    """Return the lines of a passage that can answer a question by themselves; all, unless it is one for the whole.

    A row or item among others of its list answers for all of them where it says so ("Total", "the largest hall"), where its
    key is what is asked for ("Members: 120"), or where it alone says something that the question does: a row for Graz tells
    how many people work in Graz in all.
    """
    kinds = [stated for kind, stated in _KINDS if kind.search(question)]
    listed = [line for line in passage.lines if line.cells or _BULLET.match(line.quote)]
    if not kinds or len(listed) < _LEAST_LISTED:
        return passage.lines
    asked = _stems(question)
    said = {line.start: _stems(passage.text[line.start : line.end]) & asked for line in listed}

    def is_alone(line: Line) -> bool:
        cells = [cell.text for cell in line.cells]
        own, key = (" ".join(cells), cells[0]) if cells else (line.quote, _BULLET.sub("", line.quote).partition(":")[0])
        if any(stated.search(own) for stated in kinds) or (_stems(key) and _stems(key) <= asked):
            return True
        return not any(said[line.start] <= said[other.start] for other in listed if other is not line)

    return [line for line in passage.lines if line not in listed or is_alone(line)]


def is_about(question: str, passage: Passage) -> bool:
    """Return whether a passage has a word of what a question for the whole is asked of: a table of boats says nothing of cities.

    Words are told apart by their first letters, as "Boote" is the plural of "Boot".
    """
    for _, stated in _KINDS:
        question = stated.sub(" ", question)
    said = {stem[:_AKIN_CHARS] for stem in _stems(f"{passage.snippet.place} {passage.text}")}
    asked = {stem[:_AKIN_CHARS] for stem in _stems(_OF_LISTS.sub(" ", question))}
    return not asked or not said.isdisjoint(asked)


def _stems(text: str) -> set[str]:
    return {token.stem for token in content_words(plain_dates(text).text)}


_LEAST_LISTED = 2  # lines
_AKIN_CHARS = 4
_BULLET = re.compile(r"\s*(?:[-*•▪◦–]|\d{1,3}[.)])\s+")
_LISTED = r"listed|registered|recorded|named|entered|contained|included|shown|mentioned"
_LIST = r"lists?|tables?|register|records?|sheets?|files?|documents?|overview|catalogue|inventory|director(?:y|ies)"
_GERMAN_LISTED = (
    r"aufgeführt|aufgelistet|gelistet|verzeichnet|eingetragen|erfasst|genannt|enthalten|vorhanden|registriert"
)
_GERMAN_LIST = r"\w*(?:liste|tabelle|register|verzeichnis|übersicht|datei|dokument|aufstellung|katalog)s?"
_MOST = (
    r"largest|biggest|greatest|highest|the most|longest|oldest|tallest|heaviest|fastest|dearest|widest|deepest"
    r"|(?:größt|höchst|längst|ältest|schwerst|schnellst|teuerst)e[nrsm]?|meisten"
)
_FEWEST = (
    r"smallest|lowest|(?<!at )(?:the )?least|fewest|shortest|youngest|lightest|slowest|cheapest|narrowest|wenigsten"
    r"|(?:kleinst|niedrigst|geringst|kürzest|jüngst|leichtest|langsamst|billigst|günstigst)e[nrsm]?"
)


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_SUM = r"(?:grand |sub)?totals?|sum|altogether|overall|combined|in all|together|gesamt\w*|summe|insgesamt|zusammen"
_SAYS_SUM = rf"{_SUM}|amount due|\w*endbetrag|rechnungsbetrag"
_HOW_MANY = r"(?:how many|wie viele)\b[^?]*?\b"
_OF_LISTS = _pattern(rf"{_LISTED}|{_LIST}|{_GERMAN_LISTED}|{_GERMAN_LIST}|how many|wie viele")
# What is asked for, and how a row says that it is it. A maximum that is asked for may be a limit, which one row states.
_KINDS = tuple(
    (_pattern(asked), _pattern(stated))
    for asked, stated in (
        (
            rf"{_HOW_MANY}(?:(?:are|were) there(?=\s*(?:\?|$))|(?:are|were) (?:{_LISTED})"
            rf"|(?:in|on) (?:the|this|our) (?:\w+ )?(?:{_LIST})"
            rf"|(?:does|do) (?:the|this|our) (?:\w+ )?(?:{_LIST}) (?:have|contain|hold|list|name|include)"
            rf"|gibt es(?=\s*(?:\?|$))|(?:sind|werden|wurden)\b[^?]*\b(?:{_GERMAN_LISTED})"
            rf"|(?:enthält|umfasst|hat|nennt|führt) (?:das|die|der) {_GERMAN_LIST}"
            rf"|(?:in|auf) (?:der|dem|dieser|diesem|unserer) {_GERMAN_LIST})",
            rf"{_SAYS_SUM}|number|count|anzahl|zahl",
        ),
        (rf"sum of|total|in total|{_SUM}|of all \w+|aller \w+", _SAYS_SUM),
        (
            r"averages?|median|the mean|mean (?:value )?of|durchschnitt\w*|im mittel|mittelwert",
            r"averages?|avg|mean|median|durchschnitt\w*|mittel\w*|ø",
        ),
        (_MOST, rf"{_MOST}|most|max(?:imum|imal\w*)?"),
        (_FEWEST, rf"{_FEWEST}|min(?:imum|imal\w*)?"),
    )
)
