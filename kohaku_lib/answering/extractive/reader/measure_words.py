"""Questions that ask for a measure by a verb or an adjective, told in the noun by which a table names it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.answering.extractive.text import content_stems


def in_nouns_of(question: str, names: Sequence[str]) -> str:
    """Return a question for a measure with the noun that one of `names`, columns of numbers or rows of a table, has for it.

    "What does it cost?" is one for the price, "How heavy is it?" for the weight. Of several names the one that shares most
    words with the question gives its noun. The question stays where no name has such a noun, or one has its own word.

    >>> in_nouns_of("What does the plan Basic cost?", ["Price in EUR"])
    'What is the price of the plan Basic?'
    >>> in_nouns_of("How heavy is the blue kettle?", ["Weight (kg)", "Price"])
    'What weight is the blue kettle?'
    >>> in_nouns_of("What does the plan Basic cost?", ["Cost"])
    'What does the plan Basic cost?'
    """
    for measure in _MEASURES:
        match = measure.asked.search(question)
        if match is None:
            continue
        if any(measure.own.search(name) for name in names):
            return question
        found = [(name, noun[0]) for name in names if (noun := measure.nouns.search(name))]
        if found:
            words = set(content_stems(question))
            _, noun = max(found, key=lambda one: len(words.intersection(content_stems(one[0]))))
            return _told(question, match, noun)
    return question


@dataclass(frozen=True, slots=True)
class _Measure:
    """How a measure is asked for, the words of that which a column may have too, and the nouns for it."""

    asked: re.Pattern[str]
    own: re.Pattern[str]
    nouns: re.Pattern[str]


def _measure(english: str, german: str, own: str, nouns: str, verbs: str = "") -> _Measure:
    """Return a measure asked for by adjectives ("how heavy") and by verbs ("what does it weigh")."""
    adjectives = rf"\b(?:how (?:{english})|wie (?:{german}))\b"
    behind = rf"|\b(?:what|how much|was|wie ?viel)\b[^?]*?\b(?:{verbs})\b" if verbs else ""
    return _Measure(
        re.compile(adjectives + behind, re.IGNORECASE),
        re.compile(rf"\b(?:{own})\b", re.IGNORECASE),
        re.compile(rf"\b(?:{nouns})\b", re.IGNORECASE),
    )


def _told(question: str, match: re.Match[str], noun: str) -> str:
    """Return the question in which `noun` takes the place of the verb or the adjective."""
    if _GERMAN_WORD.match(question):
        told = f"Wie hoch ist {_article(noun)} {noun} für"
        return _GERMAN.sub(lambda found: f"{told} {found['thing']}", question, count=1)
    noun = noun.lower()
    for pattern in (_COSTS, _PAID_FOR):
        if found := pattern.match(question):
            told = f"What is the {noun} of {found['thing']}"
            return f"{told}{question[found.end() :]}"
    if not match[0].lower().startswith("how "):
        return question
    word = "What" if match[0][0] == "H" else "what"
    return f"{question[: match.start()]}{word} {noun}{question[match.end() :]}"


def _article(noun: str) -> str:
    return next((article for article, ends in _ARTICLES.items() if noun.lower().endswith(ends)), "das")


_AUX = r"(?:do|does|did|will|would|must|should|can)"
_MEASURES = (
    _measure(
        "expensive|dear|cheap",
        "teuer|günstig",
        r"costs?|kosten|charges?|pay|zahlung",
        r"prices?|fees?|fares?|rents?|tariffs?|\w*preise?|\w*gebühr(?:en)?|\w*entgelte?|\w*tarife?|\w*miete",
        r"costs?|charged?|charges|pays?|paid|kost(?:et|en|ete|eten)|(?:be)?zahl(?:e|en|t)|verlang(?:en|t)",
    ),
    _measure("heavy", "schwer", r"heavy|schwer", r"weights?|mass|\w*gewicht|masse", r"weigh(?:s|ed)?|wiegt|wiegen|wog"),
    _measure(rf"long(?= {_AUX} )", r"lange(?= \w*dauert)", r"long|lange?", r"duration|\w*dauer"),
    _measure("long", "lange?", r"long|lange?", r"lengths?|\w*länge"),
    _measure("long", "lange?", r"long|lange?", r"duration|\w*dauer"),
    _measure("old", "alt", r"old|alt", r"age|\w*alter"),
    _measure("tall|high", "hoch|groß", r"tall|high|hoch|groß", r"heights?|\w*höhe|größe"),
    _measure("wide|broad", "breit", r"wide|broad|breit", r"widths?|\w*breite"),
    _measure("deep", "tief", r"deep|tief", r"depths?|\w*tiefe"),
    _measure("fast", "schnell", r"fast|schnell", r"speeds?|\w*geschwindigkeit|tempo"),
    _measure("far", "weit", r"far|weit", r"distances?|\w*entfernung|\w*distanz"),
    _measure("big|large", "groß", r"big|large|groß", r"sizes?|areas?|\w*größe|\w*fläche"),
)
_GERMAN_WORD = re.compile(r"\s*(?:was|wie|welche[rsnm]?)\b", re.IGNORECASE)
_ARTICLES = {"der": ("preis", "tarif"), "die": ("gebühr", "gebühren", "e", "dauer")}
_COSTS = re.compile(rf"\s*(?:what|how much) {_AUX} (?P<thing>[^?]+?) (?:cost|weigh)\b", re.IGNORECASE)
_PAID_FOR = re.compile(
    rf"\s*(?:what|how much) (?:{_AUX}|is|was) (?:[^?]+? )??(?:charged?|pay|paid) for (?P<thing>[^?]+)", re.IGNORECASE
)
_GERMAN = re.compile(
    r"\s*(?:(?:was|wie ?viel) (?:kost(?:et|en|ete|eten)|wiegt|wiegen|wog|(?:be)?zahle?[nt]? (?:ich|wir|man|sie|ihr|du) für)"
    r"|wie \w+ (?:ist|sind|war|waren|dauert|wiegt)) (?:d(?:er|ie|as|en) )?(?P<thing>[^?]+)",
    re.IGNORECASE,
)
