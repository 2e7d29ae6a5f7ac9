"""Whether two questions that sound alike ask for the same: their numbers, units, names, negations and comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from kohaku_lib.answering.extractive.question.entities import entities_of
from kohaku_lib.assistant.response.content_words import content_stems, numbers
from kohaku_lib.text.units import unit_name


class Facts(NamedTuple):
    """What must agree between two questions for one answer to fit both."""

    numbers: frozenset[str]
    units: frozenset[str]
    directions: frozenset[str]
    negated: bool
    names: frozenset[str]  # stems of the words of names
    stems: frozenset[str]  # of all content words
    asked_for: str  # person, date, place, reason or number; empty where no question word tells


def ask_the_same(first: str, second: str) -> bool:
    """Return whether two questions of near meaning agree in their numbers, years, units, names, negation and comparison.

    A name that the other leaves out counts as another one, so that a question about all is not answered by one about some.
    Questions that differ by a few words in one place, with content on both sides, ask for different things: people who
    paraphrase change more, or nothing that carries content.

    >>> ask_the_same("How much energy did site B use in 2022?", "What was the energy use of site B in 2022?")
    True
    >>> ask_the_same("How much energy did site B use in 2022?", "How much energy did site B use in 2023?")
    False
    >>> ask_the_same("What was the net income of the shop?", "What was the gross income of the shop?")
    False
    """
    one, other = facts_of(first), facts_of(second)
    same_names = one.names <= other.stems and other.names <= one.stems
    same_answer = one.asked_for == other.asked_for or not one.asked_for or not other.asked_for
    return one[:4] == other[:4] and same_names and same_answer and not _is_substitution(first, second)


@lru_cache(maxsize=4096)
def facts_of(question: str) -> Facts:
    """Return the facts of a question that a paraphrase keeps.

    >>> facts = facts_of("How many kWh did the GShard model not use in over 24 hours?")
    >>> sorted(facts.units), sorted(facts.directions), facts.negated, facts.asked_for
    (['h', 'kWh', 'time'], ['more'], True, 'number')
    """
    words = [word.lower() for word in _WORD.findall(question)]
    stems = frozenset(content_stems(question))
    spelled = {_SPELLED[word] for word in words if word in _SPELLED}
    directions = {_DIRECTIONS[word] for word in words if word in _DIRECTIONS}
    directions |= {_BOUNDS[word.lower()] for word in _BOUND.findall(question)}
    return Facts(
        numbers=numbers(question) | spelled,
        units=frozenset(_units(words, question)),
        directions=frozenset(directions),
        negated=sum(word in _NEGATIONS for word in words) % 2 == 1,
        names=stems.intersection(_name_parts(question)),
        stems=stems,
        asked_for=_asked_for(question),
    )


def _is_substitution(first: str, second: str) -> bool:
    """Return whether only a few words in one place differ, and content words stand there on both sides."""
    one, other = ([word.lower() for word in _TOKEN.findall(text)] for text in (first, second))
    start = _shared_length(one, other)
    end = _shared_length(one[start:][::-1], other[start:][::-1])
    changed = [" ".join(words[start : len(words) - end]) for words in (one, other)]
    is_short = all(len(part.split()) <= _MOST_SUBSTITUTED for part in changed)
    return is_short and all(content_stems(part).keys() for part in changed) and one != other


def _shared_length(first: list[str], second: list[str]) -> int:
    """Return how many words two lists begin with in common."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _units(words: Iterable[str], question: str) -> Iterable[str]:
    """Yield the units that are written out or stand as symbols with a capital or a sign, and measures without a unit."""
    for written in _UNIT_TOKEN.findall(question):
        name = unit_name(written)
        if name and (len(written) > 2 or (not written.islower() and written != "A")):
            yield name
    yield from (_MEASURES[word] for word in words if word in _MEASURES)


def _name_parts(question: str) -> Iterable[str]:
    """Yield the words of names, and words with a digit, in lower case: a name may be written longer or shorter."""
    for name in entities_of(question):
        if unit_name(name) is None:
            yield from (
                stem for stem in content_stems(name) if not _PLAIN_NUMBER.fullmatch(stem) and stem not in _SPELLED
            )


def _asked_for(question: str) -> str:
    found = _AMOUNT.search(question) or _ASKED.search(question)
    return _ANSWERS.get(found[1].lower(), "") if found else ""


_MOST_SUBSTITUTED = 3  # words
_TOKEN = re.compile(r"\w+(?:[’'-]\w+)*")
_WORD = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)?")
_PLAIN_NUMBER = re.compile(r"[\d.,]+%?")
_UNIT_TOKEN = re.compile(r"(?<![\w])(?:[A-Za-zµ]+(?:/[A-Za-z]+|-hours?)?|%|°C)(?![\w])")
_SPELLED = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())  # noqa: SIM905
    if number > 1  # "one" is a pronoun more often than a number
}
_NEGATIONS = frozenset({
    "not", "no", "never", "without", "except", "excluding", "cannot", "neither", "false", "untrue", "fail",
    "isn't", "aren't", "wasn't", "weren't", "doesn't", "don't", "didn't", "can't", "won't",
    "isn’t", "doesn’t", "don’t", "didn’t",
})  # fmt: skip
# words that turn a question into another one, by the direction they give
_DIRECTIONS = {
    word: direction
    for direction, group in {
        "more": "more greater larger bigger higher above exceed exceeds exceeded longer",
        "less": "less fewer smaller lower below shorter",
        "most": "most highest largest biggest greatest maximum max peak longest top best",
        "least": "least lowest smallest minimum min shortest bottom worst",
        "first": "first earliest oldest initial initially",
        "last": "last latest newest final finally",
        "before": "before prior until",
        "after": "after since",
        "rise": "increase increased increases rise rose grew growth gain gained",
        "fall": "decrease decreased decreases fall fell drop dropped reduce reduced reduction decline declined",
        "average": "average mean typical typically",
        "total": "total overall altogether sum combined",
    }.items()
    for word in group.split()
}
# "over" and "under" compare only before a number
_BOUND = re.compile(r"\b(over|under)\s+(?=\d)", re.IGNORECASE)
_BOUNDS = {"over": "more", "under": "less"}
# measures that are asked for by a word instead of a unit
_MEASURES = {
    word: measure
    for measure, group in {
        "energy": "energy electricity",
        "power": "power watts wattage",
        "water": "water",
        "carbon": "carbon emission emissions emit emits emitted co co₂",
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
_AMOUNT = re.compile(r"\b(how many|how much)\b", re.IGNORECASE)
_ASKED = re.compile(r"(?:^|[:,;]\s+|\band\s+)(?:\w{2,5}\s+)?(who|whose|when|where|why)\b(?!\s+\w+ing\b)", re.IGNORECASE)
_ANSWERS = {
    "who": "person",
    "whose": "person",
    "when": "date",
    "where": "place",
    "why": "reason",
    "how many": "number",
    "how much": "number",
}
