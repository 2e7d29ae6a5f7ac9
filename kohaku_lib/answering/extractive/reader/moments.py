"""The begin or the end of a stretch of time: "from 3 June to 5 July"."""

from __future__ import annotations

import re

from kohaku_lib.text.dates import MONTH_NAME


def asked_moment(question: str, text: str) -> tuple[int, int, str] | None:
    """Return the stretch "from … to …" of a text, its offsets, with the begin or the end of it that a question asks for.

    None where the question asks for neither or both, and where the text has several or names another number, as of which
    moment the question asks is open.

    >>> asked_moment("When does the sale start?", "The sale runs from 3 June to 5 July.")
    (14, 35, '3 June')
    >>> asked_moment("Until when is it open?", "It is open from 9:30 until 17:00.")
    (11, 32, '17:00')
    """
    spans = list(_SPAN.finditer(text))
    end, begin = (_ASKS_FOR_END.search(question), _ASKS_FOR_BEGIN.search(question))
    if len(spans) != 1 or not _ASKS_WHEN.match(question) or bool(end) == bool(begin):
        return None
    [span] = spans
    if re.search(r"\d", text[: span.start()] + text[span.end() :]):
        return None
    first, last = span["first"], span["last"]
    if first.isdecimal() and last.split()[0].rstrip(".").isdecimal():
        first = " ".join([first, *last.split()[1:]])  # from 3 to 5 July
    return *span.span(), last if end else first


_DAY = rf"(?:\d{{1,2}}\.?\s+)?{MONTH_NAME}\b(?:\s+\d{{1,2}}\b)?(?:,?\s+\d{{4}})?"
_TIME = r"\d{1,2}(?:[:.]\d{2})?(?:\s*(?:am|pm|a\.m\.|p\.m\.|Uhr))?"
_MOMENT = rf"{_DAY}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|\d{{4}}(?:-\d{{2}}-\d{{2}})?\b|{_TIME}"
_SPAN = re.compile(
    rf"\b(?:from|between|vom|von)\s+(?P<first>{_MOMENT})\s+(?:to|until|till|and|bis(?:\s+zum)?)\s+(?P<last>{_MOMENT})",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"\s*(?:(?:from|until|ab|bis|at|on)\s+)?(?:when|what\s+(?:time|day|date)|wann)\b", re.IGNORECASE
)
_ASKS_FOR_END = re.compile(
    r"\b(?:until when|bis wann|ends?|finish(?:es)?|closes?|stops?|over|endet|schließt|aufhört)\b", re.IGNORECASE
)
_ASKS_FOR_BEGIN = re.compile(
    r"^(?!\s*(?:until|bis)\b).*\b(?:from when|ab wann|starts?|begins?|opens?|beginnt|anfängt|fängt|öffnet)\b",
    re.IGNORECASE,
)
