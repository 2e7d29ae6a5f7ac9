"""What tells the type of a name: its own words, and the words around one mention of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kohaku_lib.index.graph.name_words import (
    GIVEN_NAMES,
    LOCATION,
    ORGANIZATION,
    ORGANIZATIONS,
    OTHER,
    PERSON,
    PRODUCT,
    SUFFIXES,
    TECHNICAL_TERM,
    TITLES,
    is_place,
    type_of_head,
    type_of_noun,
)
from kohaku_lib.index.graph.verbs import base_of
from kohaku_lib.text.word_lists import words

Vote = tuple[str, float]  # a type and how surely the words tell it
SURE, STRONG, FAIR, WEAK = 6.0, 3.0, 2.0, 1.0


def votes_of_form(name: str) -> Iterator[Vote]:
    """Yield the types that the words of a name speak for.

    >>> list(votes_of_form("Kohaku Workshop")), list(votes_of_form("University of Texas"))
    ([('ORGANIZATION', 3.0)], [('ORGANIZATION', 3.0)])
    """
    parts = name.split()
    if is_place(name):
        yield LOCATION, STRONG
        return
    if name in ORGANIZATIONS or parts[-1].rstrip(".") in SUFFIXES:
        yield ORGANIZATION, SURE
        return
    if len(parts) == 1:
        if _DEMONYM.search(name):
            yield OTHER, STRONG
        return
    by_head = _type_by_head(name)
    if parts[0] in TITLES and by_head is None and _SMALL.search(name) is None:
        yield PERSON, SURE
    elif by_head:
        yield by_head, STRONG
    elif len(parts) > _MOST_OF_PERSON or _SMALL.search(name):
        return
    elif parts[0] in GIVEN_NAMES:
        yield PERSON, STRONG
    elif _INITIAL.search(name) or parts[-1] in _GENERATIONS:
        yield PERSON, FAIR


def _type_by_head(name: str) -> str | None:
    """Return the type by the last word of a name, else by the last one before "of" and the like."""
    if _AGAINST.search(name):
        return OTHER
    main = _NUMERAL.sub("", name)
    return type_of_head(main.rpartition(" ")[2]) or type_of_head(_SMALL.split(main)[0].rpartition(" ")[2])


_MOST_OF_PERSON = 4  # words
_SMALL = re.compile(r"\s(?:of|for|the|on|in|and|at)\s")
_AGAINST = re.compile(r"\svs?\.?\s")
_NUMERAL = re.compile(r"\s(?:[IVX]+|\d+)$")
_INITIAL = re.compile(r"^[A-ZÀ-Þ]\w+(?: [A-ZÀ-Þ]\.)+ [A-ZÀ-Þ]\w+|^(?:[A-ZÀ-Þ]\. )+[A-ZÀ-Þ]\w+")
_GENERATIONS = frozenset(("Jr.", "Sr.", "Jr", "Sr"))
_DEMONYM = re.compile(
    r"(?:ish|ese|ians?|icans?|eans?|[ln]ic|ist|ism|stan[it]s?)$|^(?:(?:Nor|Sou)thern|(?:Ea|We)stern|French|Dutch|German|Greek|Welsh|Arab|Jew|Muslim)s?$"
)


def votes_of_context(text: str, start: int, end: int) -> Iterator[Vote]:
    """Yield the types that the words around the mention `text[start:end]` speak for.

    >>> list(votes_of_context("the pianist Ada Bly, who lives in Brno.", 12, 19))
    [('PERSON', 3.0), ('PERSON', 2.0)]
    """
    before, after = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
    votes = list(_votes_before(before, after))
    yield from votes
    if not votes and _BY.search(before) and _PLAIN.fullmatch(text, start, end):
        yield PERSON, WEAK
    yield from _votes_after(after)
    if not before and _PRONOUN.search(after):
        yield PERSON, FAIR


_BY = re.compile(r"\bby\s$")
_PLAIN = re.compile(r"[A-ZÀ-Þ]\w+ (?:[A-ZÀ-Þ]\. )?[A-ZÀ-Þ]\w+")
_BEFORE, _AFTER = 60, 120  # characters that are read on either side


def _votes_before(before: str, after: str) -> Iterator[Vote]:
    role = _ROLE_BEFORE.search(before)
    if role is not None and (kind := type_of_noun(role.group(1))) in (PERSON, ORGANIZATION):
        yield kind, STRONG
    found = _NOUN_OF.search(before)
    if found is not None:
        yield from _votes_of_noun_of(found.group(1).lower())
    elif (noun := _NOUN_BEFORE.search(before)) is not None:
        kind = type_of_noun(noun.group(1))
        if kind in (PERSON, ORGANIZATION, TECHNICAL_TERM, PRODUCT):
            yield kind, STRONG
    for pattern, kind, weight in _BEFORE_RULES:
        if pattern.search(before):
            yield kind, weight
            return
    found = _PLACE_BEFORE.search(before)
    if found is not None and (PHRASE_END.match(after) or _is_verb_next(after)):
        yield LOCATION, _PLACE_WEIGHTS.get(found.group().lower().strip(), 0.5)


def _votes_of_noun_of(noun: str) -> Iterator[Vote]:
    """Yield what "NOUN of" tells of the name that follows."""
    if noun in _OF_PLACE:
        yield LOCATION, STRONG
    elif noun in _OF_PERSON:
        yield PERSON, FAIR
    elif noun in _OF_ORGANIZATION:
        yield ORGANIZATION, FAIR
    elif type_of_noun(noun) == LOCATION:
        yield LOCATION, FAIR


_ROLE_BEFORE = re.compile(  # "the head of the machine room, NAME"
    r"\b(?:[Tt]he|[Aa]n?|[Oo]ur|[Ii]ts|[Hh]is|[Hh]er|[Tt]heir)\s(?:[a-z-]{2,20}\s){0,2}([a-z-]{2,20})"
    r"(?:\s(?:of|for|at|in)\s[^,.;]{1,40})?,\s$"
)
_NOUN_OF = re.compile(r"\b([\w-]{2,30})\sof\s(?:the\s)?$")
_NOUN_BEFORE = re.compile(r"\b([a-z][\w-]{1,30}|[A-Z][a-z]{3,20})\s[\"“'`]{0,2}$")
_OF_PLACE = words(
    """city town village state province county region district island borough cities towns villages south north
    east west coast outskirts capital mayor governor king queen emperor prince princess duke archduke republic
    kingdom resident residents people native streets shores banks bishop archbishop border inhabitants parts
    centre center map downtown suburb headwaters watershed watersheds"""
)
_OF_PERSON = words(
    """son daughter wife husband brother sister father mother friend grandson pupil student works death life
    marriage reign portrait biography music poems writings assistance help nephew disciple supervision"""
)
_OF_ORGANIZATION = words("""ceo chairman director president chief head founder co-founder member members employee employees board
    shareholders subsidiary division headquarters unit customers products shares trustee alumni chair vice-president
    secretary treasurer faculty graduate owner manager""")
_BEFORE_RULES = (
    (
        re.compile(
            r"\b(?:directed|written|led|invented|painted|composed|designed|sung|starring|portrayed|discovered|edited"
            r"|produced|played|voiced|narrated|authored|married|succeeded|photographed)(?:\sby)?\s$",
            re.IGNORECASE,
        ),
        PERSON,
        FAIR,
    ),
    (
        re.compile(
            r"\b(?:released|distributed|manufactured|published|acquired|owned|operated|developed|sponsored|funded|made"
            r"|marketed|awarded|commissioned|employed|hired)\sby\s(?:the\s)?$"
        ),
        ORGANIZATION,
        WEAK,
    ),
    (
        re.compile(
            r"\b(?:works?|worked|working|drives?|driving|drove|plays?|played|playing|rode|signed)\s(?:for|with|at)"
            r"\s(?:the\s)?$|\b(?:joined|companies\ssuch\sas)\s(?:the\s)?$",
            re.IGNORECASE,
        ),
        ORGANIZATION,
        FAIR,
    ),
    (re.compile(r"\b(?:named|called|informed|told|asked|thanked)\s$", re.IGNORECASE), PERSON, WEAK),
    (
        re.compile(
            r"\b(?:near|around|throughout|across|outside|towards?|upstream\sfrom|downtown|neighbou?ring|downstream\sfrom"
            r"|north(?:ern|east|west)?|south(?:ern|east|west)?|eastern|western|central|live[sd]\sin|born\sin|based\sin"
            r"|located\s(?:in|on|at)|situated\sin|died\s(?:in|at)|moved\sto|river\sfrom|rural)\s(?:the\s)?$",
            re.IGNORECASE,
        ),
        LOCATION,
        STRONG,
    ),
)
_PLACE_BEFORE = re.compile(r"\b(?:[Ii]n|[Ff]rom|[Tt]o|[Ii]nto|[Aa]t|[Ww]ithin)\s(?:the\s)?$")


def _is_verb_next(after: str) -> bool:
    word = _NOUN_AFTER.match(after)
    return word is not None and word.group(1).endswith(("s", "ed")) and base_of(word.group(1)) is not None


_PLACE_WEIGHTS = {"in": 2.5, "within": 2.5, "from": WEAK, "into": WEAK, "at": WEAK, "to": WEAK}  # with "the": 0.5
PHRASE_END = re.compile(
    r"[,.;:)\]]|$|\s(?:and|or|for|on|in|before|after|when|where|while|is|was|has|had|with|since|until|to|from|during|as|at"
    r"|by|who|which|that|under|near|but|because|between|into|through|\(|–|-)(?:\b|\s)"
)


def _votes_after(after: str) -> Iterator[Vote]:
    described = _DESCRIBED.match(after)
    if described is not None:
        yield from _votes_of_description(after[described.end() :])
    for pattern, kind, weight in _AFTER_RULES:
        if pattern.match(after):
            yield kind, weight
            return
    noun = _NOUN_AFTER.match(after)
    kind = type_of_noun(noun.group(1)) if noun is not None else None
    if noun is not None and (kind in (ORGANIZATION, OTHER, TECHNICAL_TERM) or noun.group(1) in _NAMED_PLACES):
        yield kind or OTHER, WEAK


def _votes_of_description(description: str) -> Iterator[Vote]:
    """Yield the type of the noun at the end of a noun phrase: "a small town in …" is a town."""
    phrase = _PHRASE.split(description, maxsplit=1)[0]
    for word in reversed(phrase.split()[-_LAST_WORDS:]):
        if not word.islower():
            return
        kind = type_of_noun(word)
        if kind:
            yield kind, SURE - 1
            return


_LAST_WORDS = 3
_DESCRIBED = re.compile(
    r"(?:\s?\([^()]{0,60}\))?(?:,|,?\s(?:who\s|which\s)?(?:is|was|are|were|became))\s"
    r"(?:an?|the|one\sof\s(?:the|its)(?:\stwo|\sthree)?|his|her|their|its)\s"
)
_PHRASE = re.compile(
    r"[,.;:()\"“]|\s(?:in|of|on|at|by|for|from|with|to|that|which|who|whose|where|and|located|situated|known|based|born|made"
    r"|founded|written|directed|released|formerly|under|between|near|as|is|was)\b"
)
_YEARS = r"(?:(?:c\.\s|ca\.\s)?(?:\d{1,2}\s)?(?:[A-Z][a-z]{2,8}\s)?(?:\d{1,2},\s)?\d{4})"
_AFTER_RULES = (
    (
        re.compile(r",?\s\(?(?:[^()\n]{0,40}[;,]\s)?(?:born|née|né|died|b\.)\s|\s\([^()\n]{0,60}\b(?:born|died)\b"),
        PERSON,
        STRONG,
    ),
    (re.compile(rf"\s\(\s?(?:[^()\n]{{0,40}}[;,]\s)?{_YEARS}\s?[–-]\s?{_YEARS}\)"), PERSON, STRONG),
    (re.compile(r"(?:,|\s\([^()\n]{0,40}\),?)?\swho(?:se)?\b|[’']s?\s[\"“]"), PERSON, FAIR),
    (re.compile(r",?\s(?:Jr|Sr)\b"), PERSON, STRONG),
    (
        re.compile(
            r"(?:\salso|\slater|\sfirst|\sonce|\sthen)?\s(?:was|were)\s(?:born|married|educated|buried|raised|inducted"
            r"|appointed|elected|killed|condemned|knighted|motivated)\b"
        ),
        PERSON,
        STRONG,
    ),
    (
        re.compile(
            r"(?:\salso|\slater|\sfirst|\sonce|\sthen|\scurrently)?\s(?:said|says|wrote|writes|argues?d?|asserts?(?:ed)?"
            r"|claim(?:s|ed)|lived|lives|married|died|graduated|attended|studied|taught|thought|retired|told|asked|recalled"
            r"|believed?s?|painted|composed|sang|starred|moved|sought|felt|met|earned|explains?|explained|suggested|noted"
            r"|maintains|works|worked|served|spoke|walked|resigned|planned|became\sthe|saw|found|asks)\b"
        ),
        PERSON,
        FAIR,
    ),
    (
        re.compile(
            r"[’']s?\s(?:(?:first|own|early|late|second|debut|later)\s)?(?:wife|husband|career|father|mother|son|daughter"
            r"|death|life|novels?|work|works|book|books|vocals|voice|parents|brother|sister|speech|opinion|poems?|theory"
            r"|version|paintings|friend|marriage|views|mind|hand)\b"
        ),
        PERSON,
        FAIR,
    ),
    (
        re.compile(
            r"[’']s?\s(?:shares|employees|headquarters|customers|stock|board|ceo|revenues?|products|subsidiary|earnings"
            r"|data\scent(?:er|re)s?)\b",
            re.IGNORECASE,
        ),
        ORGANIZATION,
        FAIR,
    ),
    (
        re.compile(
            r"[’']s?\s(?:population|capital|largest|south|north|east|west|government|economy|history|coast|only|climate"
            r"|streets|president|parliament|most|borders?)\b"
        ),
        LOCATION,
        FAIR,
    ),
    (
        re.compile(
            r"\s(?:announce[sd]|acquire[sd]?|employs|operates|manufactures|reported|sells|sold|owns|reports|offers"
            r"|launche[sd]|released|repurchased|acquires|was\sfounded|was\sestablished|is\sheadquartered|traded)\b"
        ),
        ORGANIZATION,
        FAIR,
    ),
    (re.compile(r"\s(?:has\sa\spopulation|lies|borders|flows|(?:is|was)\s(?:located|situated))\b"), LOCATION, STRONG),
    (re.compile(r",\s(?:located|situated)\b"), LOCATION, FAIR),
)
_NAMED_PLACES = words("village town city county province river district region island parish")
_NOUN_AFTER = re.compile(r"\s([a-z][\w-]{2,30})\b")
_PRONOUN = re.compile(r"\s[^.]{0,100}\b(?:he|she|his|her|him|himself|herself)\b")
