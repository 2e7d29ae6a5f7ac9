"""The names that a document defines: its title and its acronyms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kohaku_lib.index.graph.acronyms import find_definitions
from kohaku_lib.index.graph.entities import Mention
from kohaku_lib.index.graph.rules import find_mentions, name_type


@dataclass(frozen=True, slots=True)
class NamedMention:
    """A mention and the name of its entity, which may differ from the words in the text."""

    mention: Mention
    name: str


class DocumentNames:
    """Finds mentions in the texts of one document, by its own definitions and by the rules.

    >>> names = DocumentNames("Solar Power", ["The power usage effectiveness (PUE) fell."])
    >>> [(found.name, found.mention.text) for found in names.mentions("Our Power usage effectiveness fell.")]
    [('PUE', 'Power usage effectiveness')]
    """

    def __init__(self, title: str, texts: Iterable[str]) -> None:
        self._known: dict[str, tuple[str, str, float]] = {}  # lower-case spelling to (type, name, confidence)
        self.title = title_name(title)
        patterns: list[str] = []
        for text in texts:
            for found in find_definitions(text):
                self._define(found.acronym, found.long_form, patterns)
        if self.title:
            self._known.setdefault(self.title.lower(), (type_of(self.title), self.title, _TITLE_CONFIDENCE))
            patterns.append(re.escape(self.title))
        patterns.sort(key=len, reverse=True)
        self._pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(patterns)})(?![\w-])") if patterns else None

    def of_title(self) -> NamedMention:
        """Return the mention of the title at the start of the document's text."""
        mention = Mention(type_of(self.title), self.title, 0, len(self.title), _TITLE_CONFIDENCE)
        return NamedMention(mention, self.title)

    def mentions(self, text: str) -> list[NamedMention]:
        """Return the mentions in `text`, from left to right; the longer of two overlapping ones wins."""
        by_rule = [NamedMention(mention, mention.text) for mention in find_mentions(text)]
        known = list(self._defined_mentions(text)) if self._pattern is not None else []
        return without_overlap([*known, *by_rule]) if known else by_rule

    def _define(self, acronym: str, long_form: str, patterns: list[str]) -> None:
        if long_form.lower() in self._known:
            return
        kind = type_of(acronym, "TECHNICAL_TERM")
        for written in (long_form, acronym):
            self._known[written.lower()] = (kind, acronym, _DEFINED_CONFIDENCE)
        patterns += [rf"(?i:{re.escape(long_form)})", rf"{re.escape(acronym)}s?"]

    def _defined_mentions(self, text: str) -> Iterator[NamedMention]:
        assert self._pattern is not None
        for found in self._pattern.finditer(text):
            written = found.group().lower()
            entry = self._known.get(written) or self._known[written.removesuffix("s")]
            yield NamedMention(Mention(entry[0], found.group(), *found.span(), entry[2]), entry[1])


def title_name(title: str) -> str:
    """Return a title as a name, without brackets at its end; "" if it is no name.

    >>> title_name("Mercury (planet)"), title_name("how to begin")
    ('Mercury', '')
    """
    name = _BRACKETS_AT_END.sub("", title).strip()
    is_name = _LEAST_TITLE <= len(name) <= _LONGEST_TITLE and (name[0].isupper() or name[0].isdigit())
    return name if is_name and any(map(str.isalpha, name)) else ""


def type_of(name: str, otherwise: str | None = None) -> str:
    """Return the type of a name according to the rules; `otherwise` (or by its head word) if no rule matches."""
    for mention in find_mentions(name):
        if mention.text == name:
            return mention.entity_type
    return otherwise or name_type(name)


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
