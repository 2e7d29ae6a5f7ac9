"""Two times of day in a text, and how long it is from one to the other."""

from __future__ import annotations

import re


def minutes_between(text: str, start: int, end: int) -> int | None:
    """Return the minutes from one time of day to another that are told beside or around `text[start:end]`, or anywhere.

    Told are they as "9:00 to 11:30", "from 7 pm to 9 pm", "16:00-17:30", or "began at 18:30 and ended at 20:45". A time
    before the first one is one of the next day. None if no two times are told so, or several pairs and none of them here.

    >>> text = "The shop is open from 8.30 to 17.00, the café from 11 am until 2 pm."
    >>> minutes_between(text, text.index("11"), len(text)), minutes_between(text, text.index("8.30"), 30)
    (180, 510)
    >>> minutes_between("Beginn: 18:30 Uhr, Ende: 20:45 Uhr", 8, 13), minutes_between("Three to four people", 0, 20)
    (135, None)
    """
    pairs = [match for match in _PAIR.finditer(text) if _TIME_SIGN.search(match[0])]
    here = [match for match in pairs if match.start() < end and start < match.end()]
    found = here or pairs
    return _minutes(found[0]) if len(found) == 1 else None


def clock_spans(text: str) -> list[tuple[int, int]]:
    """Return where times of day stand in `text`, whose digits are no amounts.

    >>> clock_spans("It opens at 18:30 for 20 people.")
    [(12, 17)]
    """
    return [match.span() for match in _CLOCK.finditer(text)]


_CLOCK = re.compile(r"(?<![\d:.])(?:[01]?\d|2[0-4]):[0-5]\d(?![\d:])")


def _time(name: str) -> str:
    return (
        rf"(?<![\d.,:€£$])(?P<{name}h>[01]?\d|2[0-4])(?:[:.](?P<{name}m>[0-5]\d))?(?![\d%€£$]|[.,:]\d)"
        rf"(?:\s?(?P<{name}mark>[ap]\.?m\b\.?|Uhr\b|h\b|o['’]clock\b))?"
    )


_LINK = (
    r"(?:\s?[-–—]\s?|\s(?:to|until|till|and|bis|und)\s(?:at |um )?"
    r"|,?\s(?:and |to |und )?(?:\w+ ){0,3}?(?:end|clos|finish|Ende|Schluss|stopp|over)\w*:?\s(?:at |about |um |gegen )?)"
)
_PAIR = re.compile(_time("one") + _LINK + _time("two"), re.IGNORECASE)
_TIME_SIGN = re.compile(r"\d[:.][0-5]\d|\d\s?(?:[ap]\.?m\b|uhr\b|o['’]clock)", re.IGNORECASE)
_DAY = 24 * 60


def _minutes(match: re.Match[str]) -> int:
    """Return the minutes between the times of a pair; a mark of the second only ("7 to 9 pm") is that of the first too."""
    second = _minute_of_day(match["twoh"], match["twom"], match["twomark"])
    first = _minute_of_day(match["oneh"], match["onem"], match["onemark"] or match["twomark"])
    if match["onemark"] is None and first > second:
        first = _minute_of_day(match["oneh"], match["onem"], None)
    return (second - first) % _DAY


def _minute_of_day(hour: str, minute: str | None, mark: str | None) -> int:
    hours = int(hour)
    if mark is not None and mark[0].lower() in "ap" and hours <= _NOON:
        hours = hours % _NOON + (_NOON if mark[0].lower() == "p" else 0)
    return 60 * hours + int(minute or 0)


_NOON = 12
