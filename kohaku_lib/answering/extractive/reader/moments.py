"""The begin or the end of a stretch of time: "from 3 June to 5 July"."""

from __future__ import annotations

import re

from kohaku_lib.text.dates import MONTH_NAME


def asked_moment(question: str, text: str) -> tuple[int, int, str] | None:
    """Return the stretch "from … to …" of a text, its offsets, with the begin or the end of it that a question asks for.

    None where the question asks for neither or both, for a day where the text has times or years, or for a time where it
    has days, and where the text has several stretches or names another number.

    >>> asked_moment("When does the sale start?", "The sale runs from 3 June to 5 July.")
    (14, 35, '3 June')
    >>> asked_moment("Until when is it open?", "It is open from 9:30 until 17:00.")
    (11, 32, '17:00')
    """
    spans = list(_SPAN.finditer(text))
    end, begin = (_ASKS_FOR_END.search(question), _ASKS_FOR_BEGIN.search(question))
    asked = _ASKS_WHEN.match(question)
    if len(spans) != 1 or asked is None or bool(end) == bool(begin):
        return None
    [span] = spans
    if re.search(r"\d", text[: span.start()] + text[span.end() :]):
        return None
    first, last = span["first"], span["last"]
    if first.isdecimal() and last.split()[0].rstrip(".").isdecimal():
        first = " ".join([first, *last.split()[1:]])  # from 3 to 5 July
    moment = last if end else first
    return (*span.span(), moment) if _is_of_kind(moment, asked["kind"]) else None


def _is_of_kind(moment: str, kind: str | None) -> bool:
    if kind is None:  # when
        return True
    asked = _TIME if kind.lower() == "time" else rf"{_DAY}|{_DATE}"
    return re.fullmatch(asked, moment, re.IGNORECASE) is not None


_DAY = rf"(?:\d{{1,2}}\.?\s+)?{MONTH_NAME}\b(?:\s+\d{{1,2}}\b)?(?:,?\s+\d{{4}})?"
_TIME = r"\d{1,2}(?:[:.]\d{2})?(?:\s*(?:am|pm|a\.m\.|p\.m\.|Uhr))?"
_DATE = r"\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}-\d{2}-\d{2}\b"
_MOMENT = rf"{_DAY}|{_DATE}|\d{{4}}\b|{_TIME}"
_SPAN = re.compile(
    rf"\b(?:from|between|vom|von)\s+(?P<first>{_MOMENT})\s+(?:to|until|till|and|bis(?:\s+zum)?)\s+(?P<last>{_MOMENT})",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"\s*(?:(?:from|until|ab|bis|at|on)\s+)?(?:when|what\s+(?P<kind>time|day|date)|wann)\b", re.IGNORECASE
)
_ASKS_FOR_END = re.compile(
    r"\b(?:until when|bis wann|ends?|finish(?:es)?|closes?|stops?|endet|schließt|aufhört)\b|\b(?:until|till|bis)\W*$"
    r"|\b(?:is|are|be)\b.*(?<!ed)(?<!en)\s+over\W*$",
    re.IGNORECASE,
)
_ASKS_FOR_BEGIN = re.compile(
    r"^(?!\s*(?:until|bis)\b)(?!.*\b(?:until|till|bis)\W*$)"
    r".*\b(?:from when|ab wann|starts?|begins?|opens?|beginnt|anfängt|fängt|öffnet)\b",
    re.IGNORECASE,
)
