"""What words can answer a question: a time that "when" asks for, how long or how often something is, a person or a body."""

from __future__ import annotations

import re

from kohaku_lib.answering.extractive.numbers.quantities import quantities_in
from kohaku_lib.text.dates import MONTHS


def can_be_time(text: str) -> bool:
    """Return whether `text` can say when: it has a word of time, a time of day, or a number of nothing else.

    >>> [can_be_time(text) for text in ("at nine", "13 Uhr", "after the holidays", "Thursdays", "12 people", "nach Berlin")]
    [True, True, True, True, False, False]
    """
    if _TIME.search(text) or _CLOCK.search(text):
        return True
    return any(one.unit.measure == "time" if one.unit else not one.nouns for one in quantities_in(text))


def names_duration(text: str) -> bool:
    """Return whether `text` says how long without an amount.

    >>> [names_duration(text) for text in ("until the end of May", "overnight", "at least a week", "the second longest")]
    [True, True, True, False]
    """
    return _DURATION.match(text) is not None


def names_frequency(text: str) -> bool:
    """Return whether `text` says how often in words that are more than a number.

    >>> [names_frequency(text) for text in ("every six hours", "weekly", "twice a day", "never", "3 times", "Ann Lee")]
    [True, True, True, False, False, False]
    """
    return _FREQUENCY.search(text) is not None


def can_be_person(text: str) -> bool:
    """Return whether `text` can say who: it has a capital, or names a role behind an article, and holds no digit.

    >>> [can_be_person(text) for text in ("Ann Lee", "the council", "everyone", "quietly", "12 people")]
    [True, True, True, False, False]
    """
    return _DIGIT.search(text) is None and (_CAPITAL.search(text) is not None or is_determined(text))


def is_determined(text: str) -> bool:
    """Return whether `text` begins with an article, a possessive or the like, in English or, as a subject, in German."""
    return _DETERMINED.match(text) is not None


_DIGIT, _CAPITAL = re.compile(r"\d"), re.compile(r"[^\W\d_a-zß-ÿ]")
_DETERMINED = re.compile(
    r"(?:every|any|some)(?:one|body)\b"
    r"|(?:the|an?|his|her|its|their|my|our|your|any|each|every|one of|all"
    r"|der|die|das|eine?|ihre?|seine?|unsere?|meine?|alle|jede[rs]?) \w",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\d{1,2}[:./-]\d{2}|\b\d{4}\b|\d\s?(?:[ap]\.?m\b|uhr\b|o['’]clock)|\d(?:st|nd|rd|th)\b", re.IGNORECASE
)
_WEEKDAYS = (
    r"(?:mon|tue|wed|thu|fri|sat|sun)(?:(?:s|nes|rs|ur)?days?)?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?"
)
_PERIODS = (
    r"(?:mid|week)?(?:minute|hour|day|night|morning|afternoon|evening|week|weekend|month|quarter|term|semester|season|year"
    r"|decade|century)s?|minuten?|stunden?|tage?n?|wochen?|wochenende|monate?n?|jahre?n?|jahrhundert"
)
_RATES = r"hourly|daily|annual(?:ly)?|(?:week|fortnight|month|quarter|year)ly|täglich|(?:stünd|wöchent|monat|jähr)lich"
_TIME = re.compile(
    rf"\b(?:{'|'.join(f'{name}|{name[:3]}' for name in MONTHS)}|{_WEEKDAYS}|{_PERIODS}|{_RATES}|today|yesterday|tomorrow"
    r"|overnight|immediately|at once|spring|summer|autumn|winter|easter|christmas|noon|midnight"
    r"|half past \w+|quarter (?:to|past) \w+"
    r"|(?:after|before|until|when|during|as soon as|at the end)\b.+"
    r"|heute|gestern|morgen|sofort|frühling|frühjahr|sommer|herbst|ostern|weihnachten|mittags?|mitternacht"
    r"|(?:nach|vor)mittags?|abends?|nachts?|(?:wenn|sobald|während|nachdem|bevor)\b.+)\b",
    re.IGNORECASE,
)
_DURATION = re.compile(
    r"(?:(?:about|around|at least|at most|up to|nearly|over|etwa|rund|mindestens|höchstens|über) )*"
    r"(?:until|till|as long as|from|since|overnight|forever|indefinitely|always|bis|seit|solange|über nacht|immer"
    rf"|(?:all|an?|half an?|the whole|the entire|eine?n?|den ganzen|die ganze) (?:{_PERIODS}|summer|winter))\b",
    re.IGNORECASE,
)
_FREQUENCY = re.compile(
    rf"\b(?:every|each|{_RATES}|once|(?:twice|times|mal) (?:an?|per|each|every|pro|am|im|in der)|per|jede[nrsm]?|pro)\b"
    r"|\b(?:ein|zwei|drei|vier)mal (?:am|im|pro|in)\b|\b(?:zweimal|dreimal) \w+",
    re.IGNORECASE,
)
