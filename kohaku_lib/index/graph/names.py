"""The names in a document: each has one entity and one type throughout, by all that the document says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kohaku_lib.index.graph.acronyms import find_definitions
from kohaku_lib.index.graph.entities import Mention
from kohaku_lib.index.graph.name_types import NameTypes
from kohaku_lib.index.graph.rules import TYPE_UNTOLD, Span, find_spans, type_by_form


@dataclass(frozen=True, slots=True)
class NamedMention:
    """A mention and the name of its entity, which may differ from the words in the text.

    `own_type` is the type that the name tells by itself, by which the entity has its id; None if that is the mention's.
    """

    mention: Mention
    name: str
    own_type: str | None = None


class DocumentNames:
    """Finds mentions in the texts of one document, by its own definitions and by the rules.

    A name has the type that all texts together speak for, and a surname is the person whose full name they hold.

    >>> texts = ["The power usage effectiveness (PUE) fell, said Ada Bly.", "Bly measured our Power usage effectiveness."]
    >>> names = DocumentNames("Solar Power", texts)
    >>> [(found.name, found.mention.text, found.mention.entity_type) for found in names.mentions(texts[1])]
    [('Ada Bly', 'Bly', 'PERSON'), ('PUE', 'Power usage effectiveness', 'TECHNICAL_TERM')]
    """

    def __init__(self, title: str, texts: Sequence[str]) -> None:
        self._known: dict[str, tuple[str, str, float]] = {}  # lower-case spelling to (type, name, confidence)
        self.title = title_name(title)
        self._types = NameTypes(title, texts)
        patterns: list[str] = []
        for text in texts:
            for found in find_definitions(text):
                self._define(found.acronym, found.long_form, patterns)
        if self.title:
            self._known.setdefault(self.title.lower(), (self._type_of_title(), self.title, _TITLE_CONFIDENCE))
            patterns.append(re.escape(self.title))
        patterns.sort(key=len, reverse=True)
        self._pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(patterns)})(?![\w-])") if patterns else None

    def of_title(self) -> NamedMention:
        """Return the mention of the title at the start of the document's text."""
        mention = Mention(self._known[self.title.lower()][0], self.title, 0, len(self.title), _TITLE_CONFIDENCE)
        name = self._known[self.title.lower()][1]
        return NamedMention(mention, name, type_of(name))

    def mentions(self, text: str) -> list[NamedMention]:
        """Return the mentions in `text`, from left to right; the longer of two overlapping ones wins."""
        by_rule = [named for span in find_spans(text) for named in self._named(span)]
        known = list(self._defined_mentions(text)) if self._pattern is not None else []
        return without_overlap([*known, *by_rule]) if known else by_rule

    def _named(self, span: Span) -> Iterator[NamedMention]:
        if span.kind not in TYPE_UNTOLD:
            yield NamedMention(Mention(span.kind, span.text, span.start, span.end, span.confidence), span.text)
            return
        found = self._types.resolve(span)
        if found is not None:
            mention = Mention(found.entity_type, span.text, span.start, span.end, span.confidence)
            yield NamedMention(mention, found.name, type_of(found.name))

    def _type_of_title(self) -> str:
        return self._types.type_of(self.title) or type_of(self.title)

    def _define(self, acronym: str, long_form: str, patterns: list[str]) -> None:
        if long_form.lower() in self._known:
            return
        kind = self._types.type_of(long_form) or type_by_form(long_form, type_by_form(acronym, "TECHNICAL_TERM"))
        for written in (long_form, acronym):
            self._known[written.lower()] = (kind, acronym, _DEFINED_CONFIDENCE)
        patterns += [rf"(?i:{re.escape(long_form)})", rf"{re.escape(acronym)}s?"]

    def _defined_mentions(self, text: str) -> Iterator[NamedMention]:
        assert self._pattern is not None
        for found in self._pattern.finditer(text):
            written = found.group().lower()
            entry = self._known.get(written) or self._known[written.removesuffix("s")]
            mention = Mention(entry[0], found.group(), *found.span(), entry[2])
            yield NamedMention(mention, entry[1], type_of(entry[1]))


def title_name(title: str) -> str:
    """Return a title as a name, without brackets at its end; "" if it is no name.

    >>> title_name("Mercury (planet)"), title_name("how to begin")
    ('Mercury', '')
    """
    name = _BRACKETS_AT_END.sub("", title).strip()
    is_name = _LEAST_TITLE <= len(name) <= _LONGEST_TITLE and (name[0].isupper() or name[0].isdigit())
    return name if is_name and any(map(str.isalpha, name)) else ""


@lru_cache(2**14)  # a document repeats its names
def type_of(name: str) -> str:
    """Return the type that a name tells by itself; OTHER if it tells none.

    >>> type_of("GPT-3"), type_of("PUE"), type_of("mystery")
    ('PRODUCT', 'TECHNICAL_TERM', 'OTHER')
    """
    for span in find_spans(name):
        if span.text == name:
            return type_by_form(name, TYPE_UNTOLD[span.kind]) if span.kind in TYPE_UNTOLD else span.kind
    return type_by_form(name)


def without_overlap(found: Sequence[NamedMention]) -> list[NamedMention]:
    """Drop mentions that overlap a longer one (or an earlier one of equal length), and sort by position."""
    accepted: list[NamedMention] = []
    for one in sorted(found, key=lambda one: one.mention.start - one.mention.end):
        if all(one.mention.end <= other.mention.start or other.mention.end <= one.mention.start for other in accepted):
            accepted.append(one)
    return sorted(accepted, key=lambda one: one.mention.start)


_TITLE_CONFIDENCE, _DEFINED_CONFIDENCE = 0.9, 0.9
_LEAST_TITLE, _LONGEST_TITLE = 3, 80
_BRACKETS_AT_END = re.compile(r"\s*\([^()]*\)\s*$")
