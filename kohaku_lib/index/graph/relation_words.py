"""Relations between neighbouring names of a sentence, named by the words between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kohaku_lib.index.graph.evidence import PHRASE_END
from kohaku_lib.index.graph.links import Link, LinkedMention
from kohaku_lib.index.graph.name_words import LOCATION, ORGANIZATION, PERSON, is_place, type_of_noun
from kohaku_lib.index.graph.names import NamedMention
from kohaku_lib.index.graph.verbs import base_of, is_intransitive, is_participle, third_person
from kohaku_lib.text.countries import is_country, is_state
from kohaku_lib.text.word_lists import words

LOCATED_IN = "LOCATED_IN"
BY_VERB, BY_PREPOSITION = 0.7, 0.6  # confidences


@dataclass(frozen=True, slots=True)
class Wording:
    """What the words between two names say: the relation, whether the second name is its subject, and its confidence."""

    relation_type: str
    is_turned: bool = False
    confidence: float = BY_VERB
    is_continued: bool = False  # "… and died in": the subject is that of the relation before


def with_links(text: str, found: Sequence[NamedMention], title: NamedMention | None = None) -> list[LinkedMention]:
    """Return the mentions of a sentence with the relations that it states, each attached to its subject.

    A relation is stated by a verb, a noun or a preposition between two neighbouring names; what a sentence denies, doubts or
    supposes is not stated. A list of objects shares the relation. Relations whose subject is a date, a figure or a share are
    left out. "Written by" at the beginning is said of the document with this `title`.
    """
    linked = [LinkedMention(named) for named in found]
    for subject, wording, target in (*_of_title(text, linked, title), *_stated(text, linked)):
        named = target.named
        if _is_adjective(text, wording, named) or _DOUBT.search(text, 0, max(_end(subject), _end(target))):
            continue
        link = Link(wording.relation_type, named.mention.entity_type, named.name, wording.confidence, named.own_type)
        is_date = named.mention.entity_type == "DATE" and "_" not in wording.relation_type  # "in" or "since" a date
        if subject.named.mention.entity_type not in _NO_SUBJECTS and subject.named.name != named.name and not is_date:
            subject.links = tuple(dict.fromkeys((*subject.links, link)))
    return linked


def _end(linked: LinkedMention) -> int:
    return linked.named.mention.end


_DOUBT = re.compile(
    r"\b(?:if|unless|whether|neither|nobody|without|no(?!\.)|den(?:y|ies|ied)|alleg\w+|rumou?r\w*|doubt\w*)\b",
    re.IGNORECASE,
)
_Statement = tuple[LinkedMention, Wording, LinkedMention]  # subject, relation, object
_NO_SUBJECTS = frozenset(("DATE", "MONEY", "PERCENTAGE", "CLAUSE"))


def _of_title(text: str, linked: Sequence[LinkedMention], title: NamedMention | None) -> Iterator[_Statement]:
    """Yield what a text without a subject says of its document: "Written by NAME and NAME"."""
    begin = text[: linked[0].named.mention.start] if linked else ""
    wording = wording_of(f" was {begin[:1].lower()}{begin[1:]}") if title is not None and _BY.search(begin) else None
    if title is None or wording is None:
        return
    yield linked[0], wording, LinkedMention(title)
    for one, other in pairwise(linked):
        if not _LISTED.fullmatch(text[one.named.mention.end : other.named.mention.start]) or not _are_alike(one, other):
            return
        yield other, wording, LinkedMention(title)


_BY = re.compile(r"^[A-Z][a-z]+ by $")


def _is_adjective(text: str, wording: Wording, named: NamedMention) -> bool:
    """Return whether a place only describes the noun behind it: "polishes Baltic amber"."""
    is_object = "_" not in wording.relation_type and named.mention.entity_type == LOCATION
    return is_object and not wording.is_turned and PHRASE_END.match(text, named.mention.end) is None


def _stated(text: str, linked: Sequence[LinkedMention]) -> Iterator[_Statement]:
    """Yield subject, wording and object of each relation."""
    subject: LinkedMention | None = None  # of the relation before
    head: LinkedMention | None = None  # what a verb behind the first of the pair is said of
    last: Wording | None = None
    for at, (one, other) in enumerate(pairwise(linked)):
        between = text[one.named.mention.end : other.named.mention.start]
        head = _head(text, linked[max(0, at - 1)], head, one)
        if last is not None and subject is not None and _LISTED.fullmatch(between) and _are_alike(one, other):
            yield (other, last, subject) if last.is_turned else (subject, last, other)
            continue
        last = wording_of(between) or _by_places(one, between, other)
        if last is None:
            continue
        if last.is_continued:
            last = last if subject is not None else None
        else:
            is_own = between.startswith((",", " who ", " which ")) or between in _WITHIN
            subject = one if is_own else head
        if last is not None and subject is not None:
            yield (other, last, subject) if last.is_turned else (subject, last, other)


def _head(
    text: str, before: LinkedMention, head_before: LinkedMention | None, one: LinkedMention
) -> LinkedMention | None:
    """Return the name that what follows `one` is said of: "Ada" in "Ada of Brno lived in", none in "a boy of Brno lived in".

    None too where `one` is the object of a verb: "the mayor who met Ada supports".
    """
    start = one.named.mention.start
    verb = _WORD_BEFORE.search(text, max(0, start - _NEAR), start)
    if verb is not None and base_of(verb[1]) is not None:
        return None
    if _AFTER_PREPOSITION.search(text, max(0, start - _NEAR), start) is None:
        return one
    between = text[before.named.mention.end : start]
    return head_before if before is not one and _AFTER_PREPOSITION.fullmatch(between.lstrip()) else None


_NEAR = 20
_AFTER_PREPOSITION = re.compile(r"\b(?:of|from|in|at|for|with|by|to|on)\s(?:the\s)?$")
_WORD_BEFORE = re.compile(r"\b([a-z]+)\s(?:the\s)?$")
_WITHIN = (" in ", " in the ")
_LISTED = re.compile(r", (?:and |or )?| and | or ")


def _are_alike(one: LinkedMention, other: LinkedMention) -> bool:
    return one.named.mention.entity_type == other.named.mention.entity_type


def _by_places(one: LinkedMention, between: str, other: LinkedMention) -> Wording | None:
    """Return LOCATED_IN for "NAME in PLACE" and "Town, State"."""
    kinds = (one.named.mention.entity_type, other.named.mention.entity_type)
    if kinds[1] != LOCATION or kinds[0] not in (LOCATION, ORGANIZATION):
        return None
    inner, outer = one.named.name, other.named.name
    is_within = between in _WITHIN and (is_place(outer) or not is_place(inner))
    is_after_comma = between == ", " and kinds[0] == LOCATION and _is_land(outer) and not is_place(inner)
    return Wording(LOCATED_IN, confidence=BY_PREPOSITION) if is_within or is_after_comma else None


def _is_land(name: str) -> bool:
    return is_country(name) or is_state(name)


def wording_of(between: str) -> Wording | None:
    """Return the relation that the words between two names state; None if they state none.

    >>> [wording_of(tokens) for tokens in (" maintains the ", " is based in ", ", and ")]
    [Wording(relation_type='MAINTAINS', is_turned=False, confidence=0.7, is_continued=False), \
Wording(relation_type='BASED_IN', is_turned=False, confidence=0.7, is_continued=False), None]
    >>> wording_of(" was acquired by the company ")
    Wording(relation_type='ACQUIRES', is_turned=True, confidence=0.7, is_continued=False)
    """
    lead = _LEAD.match(between)
    if lead is None or len(between) > _LONGEST or _NOT_WORDS.search(between[lead.end() :]):
        return None
    tokens = [word for word in between[lead.end() :].split() if word in _DENIALS or not _is_adverb(word)]
    auxiliaries = 0
    while auxiliaries < len(tokens) and tokens[auxiliaries] in _AUXILIARIES:
        auxiliaries += 1
    rest = tokens[auxiliaries:]
    is_being = not _BEING.isdisjoint(tokens[:auxiliaries])
    found = None
    if rest and _DENIALS.isdisjoint(tokens):
        found = _by_verb(rest, is_being) or (_by_noun(rest) if is_being or lead.group(1) == "," else None)
    return replace(found, is_continued="and" in lead.group()) if found else None


_LONGEST = 80
_LEAD = re.compile(r"(,?)\s(?:(?:who|which|that|and|and\swho|and\swhich)\s)?")
_NOT_WORDS = re.compile(r"[^a-z' -]")  # punctuation, a figure or a capital
_AUXILIARIES = words("is was are were be been being has have had does do did became becomes")  # "may" states nothing
_BEING = words("is was are were be been being became becomes")
_DENIALS = words("not never no neither nor hardly barely scarcely rarely seldom nearly almost allegedly supposedly")
_ADVERBS = words("also now later first then still once often today jointly soon since again both")
_PREPOSITIONS = words(
    "in on at of to for by from with near into over under as through against after before until within"
)
_ARTICLES = words("the a an its his her their this these those our")


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and base_of(word) is None)


def _by_verb(tokens: Sequence[str], is_being: bool) -> Wording | None:
    """Read "VERB", "VERB PREPOSITION" and "PARTICIPLE PREPOSITION", before an article and a noun or two."""
    verb, preposition = tokens[0], tokens[1] if len(tokens) > 1 and tokens[1] in _PREPOSITIONS else ""
    if not _is_lead_in(tokens[2:] if preposition else tokens[1:]):
        return None
    base = base_of(verb)
    is_passive = is_participle(verb) and (
        is_being or preposition == "by" or (preposition != "" and not (base and is_intransitive(base)))
    )
    if is_passive and preposition == "by" and base:
        return Wording(third_person(base).upper(), is_turned=True)
    if is_passive:
        return Wording(f"{verb}_{preposition}".upper()) if preposition else None
    if base is None or is_being or verb == base or (is_intransitive(base) and not preposition):
        return None
    return Wording("_".join(filter(None, (third_person(base), preposition))).upper())


def _by_noun(tokens: Sequence[str]) -> Wording | None:
    """Read "the director of", "part of", "a city in" and "in"."""
    if tokens[0] == "in" and _is_lead_in(tokens[1:]):
        return Wording(LOCATED_IN)
    for at, word in enumerate(tokens):
        if word in _PREPOSITIONS:
            noun = tokens[at - 1] if at else ""
            return _of_noun(noun, word) if _is_lead_in(tokens[at + 1 :]) else None
    return None


def _of_noun(noun: str, preposition: str) -> Wording | None:
    kind = type_of_noun(noun)
    if preposition == "in" and kind in (LOCATION, ORGANIZATION):
        return Wording(LOCATED_IN)
    if preposition in ("of", "at", "for") and (kind in (PERSON, ORGANIZATION, LOCATION) or noun in _NOUNS):
        return Wording(f"{noun}_{preposition}".upper().replace("-", "_").replace("'", ""))
    return None


_NOUNS = words("part member subsidiary division branch component version owner home seat suburb unit")


def _is_lead_in(tokens: Sequence[str]) -> bool:
    """Return whether words may stand before a name: an article, an adjective or two, and "city of"."""
    own = [word for word in tokens if word not in _ARTICLES]
    if len(own) >= _NOUN_OF and own[-1] == "of":
        return len(own) <= _MOST_BEFORE + 1 and type_of_noun(own[-2]) == LOCATION
    return len(own) <= _MOST_BEFORE and _PREPOSITIONS.isdisjoint(own) and "and" not in own


_MOST_BEFORE, _NOUN_OF = 2, 2
