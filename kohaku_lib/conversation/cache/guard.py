"""Whether two questions that sound alike ask for the same: their numbers, units, names, negations, directions and roles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from kohaku_lib.answering.coverage.content_words import content_stems, numbers
from kohaku_lib.answering.extractive.question.entities import entities_of
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
    """Return whether two questions of near meaning agree in their numbers, years, units, names, negation and direction.

    A name that the other leaves out counts as another one, so that a question about all is not answered by one about some.
    Questions that differ by a few words in one place, with content on both sides, ask for different things: people who
    paraphrase change more, or nothing that carries content. So do questions whose words are the same, but not who does
    what to whom: "Who paid Ann?" and "Whom did Ann pay?".

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
    if not (one[:4] == other[:4] and same_names and same_answer):
        return False
    return not (_is_substitution(first, second) or _is_opposed(first, second) or _has_other_roles(first, second))


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
    one, other = _words(first), _words(second)
    changed = _differing(one, other)
    is_short = all(len(part) <= _MOST_SUBSTITUTED for part in changed)
    return is_short and all(content_stems(" ".join(part)).keys() for part in changed) and one != other


def _is_opposed(first: str, second: str) -> bool:
    """Return whether one has a preposition where the other has its opposite: to and from, for and against."""
    one, other = Counter(_words(first)), Counter(_words(second))
    only_one, only_other = one - other, other - one
    return any(
        (left in only_one and right in only_other) or (right in only_one and left in only_other)
        for left, right in _OPPOSED
    )


def _has_other_roles(first: str, second: str) -> bool:
    """Return whether two questions of the same words differ in who does what to whom.

    Two parts may have changed places around what joins them ("from A to B"), one question may be in the passive where the
    order of its words is that of the active other, or one may ask for the subject and the other for the object.
    """
    one, other = _words(first), _words(second)
    if Counter(one) == Counter(other) and _is_swap(*_differing(one, other)):
        return True
    orders = [[_stem(word) for word in words if word not in _VOICE] for words in (one, other)]
    if orders[0] == orders[1] and (_PASSIVE.search(first) is None) != (_PASSIVE.search(second) is None):
        return True
    asks_for_object = [_OBJECT_ASKED.search(text) is not None for text in (first, second)]
    asks_for_subject = [_SUBJECT_ASKED.search(text) is not None for text in (first, second)]
    return (asks_for_object[0] and asks_for_subject[1]) or (asks_for_object[1] and asks_for_subject[0])


def _is_swap(one: list[str], other: list[str]) -> bool:
    """Return whether `other` is `one` with its two ends exchanged around more than a list's "and" or "or"."""
    for length in range(1, len(one) - 1):
        head = one[:length]
        if other[-length:] != head or not content_stems(" ".join(head)):
            continue
        for start in range(length + 1, len(one)):
            tail, middle = one[start:], one[length:start]
            if other[: len(tail)] == tail and other[len(tail) : -length] == middle and content_stems(" ".join(tail)):
                return not _LISTING.issuperset(middle) and not (_LISTING & set(middle))
    return False


def _words(question: str) -> list[str]:
    return [word.lower() for word in _TOKEN.findall(question)]


def _stem(word: str) -> str:
    return next(iter(content_stems(word)), word)


def _differing(one: list[str], other: list[str]) -> tuple[list[str], list[str]]:
    """Return what stands between the words that both begin with and those that both end with."""
    start = _shared_length(one, other)
    end = _shared_length(one[start:][::-1], other[start:][::-1])
    return one[start : len(one) - end], other[start : len(other) - end]


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
        "against": "against oppose opposes opposed opposing",
        "buy": "buy buys bought buying buyer buyers purchase purchases purchased acquire acquires acquired",
        "sell": "sell sells sold selling seller sellers sale sales vendor",
        "lend": "lend lends lent lender lenders lending creditor creditors",
        "borrow": "borrow borrows borrowed borrower borrowers borrowing debtor debtors",
        "export": "export exports exported exporting",
        "import": "import imports imported importing",
        "send": "send sends sent sending sender",
        "receive": "receive receives received receiving receiver recipient",
        "win": "win wins won winner winners",
        "lose": "lose loses lost loser losers loss losses",
        "profit": "profit profits profitable",
        "asset": "asset assets",
        "liability": "liability liabilities",
        "arrive": "arrive arrives arrived arrival arrivals",
        "depart": "depart departs departed departure departures",
        "open": "open opens opened opening",
        "close": "close closes closed closing",
        "accept": "accept accepts accepted approve approves approved approval",
        "reject": "reject rejects rejected refuse refuses refused rejection refusal",
        "allow": "allow allows allowed permit permits permitted",
        "forbid": "forbid forbids forbidden ban bans banned prohibit prohibits prohibited",
        "employer": "employer employers",
        "employee": "employee employees",
        "tenant": "tenant tenants",
        "landlord": "landlord landlords",
        "north": "north northern",
        "south": "south southern",
        "east": "east eastern",
        "west": "west western",
        "left": "left",
        "right": "right",
        "inner": "inside inner internal inbound incoming",
        "outer": "outside outer external outbound outgoing",
        "domestic": "domestic",
        "foreign": "foreign",
        "gross": "gross",
        "net": "net",
        "direct": "direct directly",
        "indirect": "indirect indirectly",
        "current": "current currently present",
        "former": "former formerly previous previously",
        "next": "next upcoming",
        "deputy": "deputy vice assistant acting interim",
        "junior": "junior",
        "senior": "senior",
    }.items()
    for word in group.split()
}
_OPPOSED = (
    ("to", "from"), ("into", "from"), ("into", "out"), ("for", "against"), ("in", "out"), ("on", "off"), ("up", "down"),
    ("with", "without"), ("over", "under"), ("above", "below"), ("inside", "outside"), ("to", "by"),
)  # fmt: skip
_VOICE = frozenset("is are was were be been being did does do by the a an".split())  # noqa: SIM905
_LISTING = frozenset({"and", "or", "nor", "between", "versus", "vs"})
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|be|being)\s+(?:\w+\s+){1,4}by\b", re.IGNORECASE)
_OBJECT_ASKED = re.compile(r"^\W*(?:who|whom|what|(?:which|what)\s+\w+)\s+(?:did|does|do)\b", re.IGNORECASE)
_SUBJECT_ASKED = re.compile(
    r"^\W*(?:who|what|(?:which|what)\s+\w+)\s+(?!(?:is|are|was|were|be|been|did|does|do|has|have|had)\b)\w+(?:s|ed|t|d|n|e|k)\b",
    re.IGNORECASE,
)
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
