"""The types of the names of one document, by the votes of all mentions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kohaku_lib.index.graph.evidence import FAIR, STRONG, WEAK, Vote, votes_of_context, votes_of_form
from kohaku_lib.index.graph.name_words import LOCATION, ORGANIZATION, OTHER, PERSON, TECHNICAL_TERM, type_of_noun
from kohaku_lib.index.graph.rules import ACRONYM, CODE, FIRST_WORD, NAME, TYPE_UNTOLD, WORD, Span, find_spans

Votes = dict[str, float]  # weight by type


@dataclass(frozen=True, slots=True)
class TypedName:
    """The name of an entity and its type."""

    name: str
    entity_type: str


class NameTypes:
    """The type of each name in the texts of a document.

    A name is typed once for the document. A single word takes the type of the person whose name ends with it, names in a
    list share their type, and a name before a comma and a place is a place.

    >>> types = NameTypes("", ["Ona Bly was born in Karkle.", "Later Bly met Ada Rimm."])
    >>> types.type_of("Ona Bly"), types.type_of("Bly"), types.type_of("Karkle")
    ('PERSON', 'PERSON', 'LOCATION')
    """

    def __init__(self, title: str, texts: Sequence[str]) -> None:
        self._votes: dict[str, Votes] = {}
        self._mentions: Counter[str] = Counter()
        self._is_of_life = _is_about_life(texts)
        self._common = {word for text in texts for word in _SMALL.findall(text)}
        links: list[tuple[str, str, str]] = []
        for text in texts:
            self._read(text, links)
        self._read_title(title)
        self._persons = self._full_names()
        self._spread(links)

    def resolve(self, span: Span) -> TypedName | None:
        """Return the entity of a span; None for a word that is no name elsewhere.

        Such is one at the beginning of a sentence alone, and one without a type that the document also writes small.
        """
        kind = self.type_of(span.text)
        if span.kind == FIRST_WORD and (kind is None or not self._is_name(span.text)):
            return None
        if span.kind == WORD and kind is None and span.text.lower() in self._common:
            return None
        name = self._persons.get(span.text, span.text) if kind == PERSON else span.text
        return TypedName(name, kind or self._untold(span))

    def type_of(self, name: str) -> str | None:
        """Return the type that the document tells for a name; None if it tells none."""
        votes = self._votes.get(name)
        if not votes:
            return None
        kind = max(votes, key=lambda one: (votes[one], one))
        return kind if votes[kind] >= LEAST_VOTES else None

    def _is_name(self, word: str) -> bool:
        return self._mentions[word] > 0 or word in self._persons or max(self._votes[word].values()) >= STRONG

    def _untold(self, span: Span) -> str:
        return TECHNICAL_TERM if span.kind == CODE and self._is_of_life else TYPE_UNTOLD[span.kind]

    def _votes_of_kind(self, span: Span) -> Votes:
        return {self._untold(span): _OF_KIND} if span.kind in (ACRONYM, CODE) else {}

    def _read(self, text: str, links: list[tuple[str, str, str]]) -> None:
        spans = list(find_spans(text))
        for span in spans:
            if span.kind in TYPE_UNTOLD:
                self._add(span, votes_of_context(text, span.start, span.end))
        for one, other in pairwise(spans):
            between = text[one.end : other.start]
            if _LISTED.fullmatch(between):
                links.append((one.text, between, other.text))

    def _add(self, span: Span, votes: Iterable[Vote]) -> None:
        if span.text not in self._votes:
            self._votes[span.text] = dict(votes_of_form(span.text)) or self._votes_of_kind(span)
        self._mentions[span.text] += span.kind != FIRST_WORD
        own = self._votes[span.text]
        for kind, weight in votes:
            if span.kind in (NAME, WORD, FIRST_WORD) or kind != LOCATION:
                own[kind] = own.get(kind, 0.0) + weight

    def _read_title(self, title: str) -> None:
        """Let brackets at the end of a title type it: "Mercury (planet)"."""
        found = _BRACKETS.search(title)
        kind = type_of_noun(found.group(2)) if found else None
        if found and kind:
            own = self._votes.setdefault(found.group(1), {})
            own[kind] = own.get(kind, 0.0) + STRONG

    def _full_names(self) -> dict[str, str]:
        """Return the full name of each surname that only one person has; their votes are joined."""
        owners: defaultdict[str, set[str]] = defaultdict(set)
        for name in self._votes:
            words = _GENERATION.sub("", name).split()
            if 1 < len(words) <= _MOST_WORDS and words[-1] in self._votes and self._may_be_person(name):
                owners[words[-1]].add(name)
        found: dict[str, str] = {}
        for surname, names in owners.items():
            for name in names:
                _join(self._votes[name], self._votes[surname])
            if any(self.type_of(name) == PERSON for name in names):
                self._votes[surname] = {PERSON: STRONG}
                if len(names) == 1:
                    found[surname] = next(iter(names))
        return found

    def _may_be_person(self, name: str) -> bool:
        votes = self._votes[name]
        return not votes or max(votes, key=lambda one: (votes[one], one)) == PERSON

    def _spread(self, links: Sequence[tuple[str, str, str]]) -> None:
        """Give untyped names the type of their neighbours in a list, and places before a place theirs."""
        for first, between, second in reversed(links):
            kind = self.type_of(second)
            if between == ", " and kind == LOCATION:
                _join(self._votes.setdefault(first, {}), {LOCATION: FAIR})
            elif kind not in (None, OTHER) and self.type_of(first) is None:
                _join(self._votes.setdefault(first, {}), {kind: WEAK})
        continued = {first for first, _, _ in links}
        for first, between, second in links:
            kind = self.type_of(first)
            if kind not in (None, OTHER) and self.type_of(second) is None:
                is_address = between == ", " and kind == ORGANIZATION and second not in continued
                _join(self._votes.setdefault(second, {}), {LOCATION if is_address else kind: WEAK})


LEAST_VOTES = 1.0
_OF_KIND = 1.5  # that an acronym is a term, and a name with digits a product
_MOST_WORDS = 4  # of a person's name
_LISTED = re.compile(r", (?:and |or )?| and | or | & |,? (?:also |formerly |better )?known as ")
_GENERATION = re.compile(r",? [JS]r\.?$")
_BRACKETS = re.compile(r"^(.*\S) \((?:[^()]* )?([^() ]+)\)$")
_LIFE = re.compile(r"\b(?:proteins?|genes?|cells?|receptors?|mice|mouse|patients?|tissues?|kinases?|mRNA|embryos?)\b")
_LEAST_OF_LIFE = 3
_SMALL = re.compile(r"\b[^\W\d_A-Z][^\W\d_]+\b")


def _is_about_life(texts: Sequence[str]) -> bool:
    """Return whether the texts are of biology, whose names with digits are those of genes and proteins."""
    found = 0
    for text in texts:
        found += len(_LIFE.findall(text))
    return found >= max(_LEAST_OF_LIFE, len(texts) / 4)


def _join(votes: Votes, others: Mapping[str, float]) -> None:
    for kind, weight in others.items():
        votes[kind] = votes.get(kind, 0.0) + weight
