"""Whether two questions that sound alike ask for the same: their numbers, units, names, negations and comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from kohaku_lib.answering.extractive.question.entities import entities_of
from kohaku_lib.assistant.response.content_words import content_stems, numbers
from kohaku_lib.text.units import unit_name


class Facts(NamedTuple):
    """What must agree between two questions for one answer to fit both."""

    numbers: frozenset[str]
    units: frozenset[str]
    names: frozenset[str]
    negated: bool
    directions: frozenset[str]
    subject: str  # what is asked for: who, when, where, how many ...


def ask_the_same(first: str, second: str) -> bool:
    """Return whether two questions of near meaning agree in their numbers, years, units, names, negation and comparison.

    A name that one of them leaves out counts as another one, so that a question about all is not answered by one about
    some.

    >>> ask_the_same("How much energy did site B use in 2022?", "What was the energy use of site B in 2022?")
    True
    >>> ask_the_same("How much energy did site B use in 2022?", "How much energy did site B use in 2023?")
    False
    """
    one, other = facts_of(first), facts_of(second)
    same_subject = one.subject == other.subject or not one.subject or not other.subject
    return one[:5] == other[:5] and same_subject


@lru_cache(maxsize=4096)
def facts_of(question: str) -> Facts:
    """Return the facts of a question that a paraphrase keeps.

    >>> facts_of("Did the GShard model not use more than 24 kWh?")
    Facts(numbers=frozenset({'24'}), units=frozenset({'kWh'}), names=frozenset({'gshard'}), negated=True, directions=frozenset({'more'}), subject='')
    """
    words = [word.lower() for word in _WORD.findall(question)]
    spelled = {_SPELLED[word] for word in words if word in _SPELLED}
    return Facts(
        numbers=numbers(question) | spelled,
        units=frozenset(_units(words, question)),
        names=frozenset(_name_parts(question)),
        negated=sum(word in _NEGATIONS for word in words) % 2 == 1,
        directions=frozenset(_DIRECTIONS[word] for word in words if word in _DIRECTIONS),
        subject=_subject(question),
    )


def _units(words: Iterable[str], question: str) -> Iterable[str]:
    """Yield the units that are written out or stand as symbols with a capital or a sign, and measures without a unit."""
    for token in _UNIT_TOKEN.findall(question):
        name = unit_name(token)
        if name and (len(token) > 2 or not token.islower()):
            yield name
    yield from (_MEASURES[word] for word in words if word in _MEASURES)


def _name_parts(question: str) -> Iterable[str]:
    """Yield the words of names, and words with a digit, in lower case: a name may be written longer or shorter."""
    for name in entities_of(question):
        if unit_name(name) is None:
            yield from (
                stem for stem in content_stems(name) if not _PLAIN_NUMBER.fullmatch(stem) and stem not in _GENERIC
            )


def _subject(question: str) -> str:
    found = _ASKED.search(question)
    return _SUBJECTS.get(found[1].lower(), "") if found else ""


_WORD = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)?")
_PLAIN_NUMBER = re.compile(r"[\d.,]+%?")
_UNIT_TOKEN = re.compile(r"(?<![\w])(?:[A-Za-zµ]+(?:/[A-Za-z]+|-hours?)?|%|°C)(?![\w])")
_GENERIC = frozenset(("model", "report", "paper", "company", "table", "figure", "section"))
_SPELLED = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())  # noqa: SIM905
    if number > 1  # "one" is a pronoun more often than a number
}
_NEGATIONS = frozenset(
    ("not", "no", "never", "without", "except", "excluding", "cannot", "neither", "nor", "isn't", "aren't", "wasn't")
) | {
    "weren't",
    "doesn't",
    "don't",
    "didn't",
    "can't",
    "won't",
    "isn’t",
    "doesn’t",
    "don’t",
    "didn’t",
    "false",
    "untrue",
    "fail",
}
# words that turn a question into another one, by the direction they give
_DIRECTIONS = {
    word: direction
    for direction, group in {
        "more": "more greater larger bigger higher above exceed exceeds exceeded over longer",
        "less": "less fewer smaller lower below under shorter",
        "most": "most highest largest biggest greatest maximum max peak longest top best",
        "least": "least lowest smallest minimum min shortest bottom worst",
        "first": "first earliest oldest initial initially",
        "last": "last latest newest final finally",
        "before": "before prior until",
        "after": "after since following",
        "rise": "increase increased increases rise rose grew growth gain gained",
        "fall": "decrease decreased decreases fall fell drop dropped reduce reduced reduction decline declined",
        "average": "average mean typical typically",
        "total": "total overall altogether sum combined",
        "each": "each per",
    }.items()
    for word in group.split()
}
# measures that are asked for by a word instead of a unit
_MEASURES = {
    word: measure
    for measure, group in {
        "energy": "energy electricity",
        "power": "power watts wattage",
        "water": "water",
        "carbon": "carbon emission emissions co",
        "money": "cost costs costing price priced pay paid dollars expense",
        "time": "hours minutes days weeks months duration",
        "share": "percent percentage share fraction proportion",
        "size": "parameters parameter",
        "accuracy": "accuracy score",
        "training": "training train trained pretraining",
        "inference": "inference serving",
    }.items()
    for word in group.split()
}
_ASKED = re.compile(r"\b(who|whose|when|where|why|how many|how much|how long)\b", re.IGNORECASE)
_SUBJECTS = {
    "who": "person",
    "whose": "person",
    "when": "date",
    "where": "place",
    "why": "reason",
    "how many": "number",
    "how much": "number",
    "how long": "duration",
}
