"""Who has a role, read from lists of people: "Anna Lee (treasurer)", "Chair: B. Ode", "- Dr Olu Bakare, partner"."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.openings import opens_document
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.enumerations import asks_for_several
from kohaku_lib.answering.extractive.reader.passages import stems_in
from kohaku_lib.answering.extractive.text import content_stems, is_akin
from kohaku_lib.tables import Snippet
from kohaku_lib.text.stop_words import stop_words

CONFIDENCE = 0.8  # set, not fitted: the fitted sets have no such questions
_MOST_ENDING = 3  # letters by which forms of a word differ: a compound such as "Bärengruppe" is none of "Bär"
_LEAST_NAMED = 0.5  # share of what the question says beside the role, in the document


def find_holders(asked: Asked, snippets: Sequence[Snippet]) -> Finding | None:
    """Return who has the role that a question asks for, as a JSON list where it asks for several people.

    The role must stand beside the name, and the document must have the names of the question and half of its other
    words in the snippet, its title or its opening. None if nobody is listed so, or several people where one is asked for.

    >>> from kohaku_lib.answering.extractive.question.question import read_question
    >>> from kohaku_lib.tables import Question
    >>> text = "Present: Tim Roe (chair), Ann Lee (treasurer), Bo Ek."
    >>> question = "Who looks after the money of the Elm choir?"
    >>> asked = Asked.of(read_question(Question("q", question)), question)
    >>> find_holders(asked, [Snippet("d:1", "d", "Minutes of the Elm choir", None, text, 1, 1.0)]).value
    'Ann Lee'
    """
    if not _WHO.match(asked.text):
        return None
    question = _with_roles(asked.text)
    best: tuple[float, Finding] | None = None
    for document in dict.fromkeys(snippet.document_id for snippet in snippets):
        own = [snippet for snippet in snippets if snippet.document_id == document]
        found = _in_document(asked, question, own)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return None if best is None else best[1]


@dataclass(frozen=True, slots=True)
class _Holder:
    name: str
    role: frozenset[str]
    line: str


def _in_document(asked: Asked, question: set[str], snippets: Sequence[Snippet]) -> tuple[float, Finding] | None:
    """Return the holder that a document lists, with how much of the question it says."""
    opening = " ".join(snippet.text for snippet in snippets if opens_document(snippet.node_id))
    for snippet in snippets:
        holders = [one for one in _holders(snippet.text) if one.role and _says_all(question, one.role)]
        names = list(dict.fromkeys(one.name for one in holders))
        several = asks_for_several(asked.text)
        if not names or (len(names) > 1 and not several):
            continue
        role = {stem for one in holders for stem in one.role} | _words_of_roles(asked.text)
        said = stems_in(f"{snippet.place} {opening} {snippet.text}")
        rest = {word.stem for word in asked.words if word.surface.lower() not in stop_words("german")} - role
        if not asked.names <= said | role or _share(rest, said) < _LEAST_NAMED:
            continue
        value = json.dumps(names, ensure_ascii=False) if several and len(names) > 1 else names[0]
        quote = " … ".join(dict.fromkeys(one.line for one in holders))
        return _share(rest, said), Finding(value, quote, (snippet.document_id,), CONFIDENCE)
    return None


def _holders(text: str) -> Iterator[_Holder]:
    for line in filter(None, map(str.strip, text.split("\n"))):
        for match in _IN_BRACKETS.finditer(line):
            yield _Holder(match["name"], _stems(match["role"]), line)
        for match in _BEHIND_COLON.finditer(line):
            yield _Holder(match["name"], _stems(match["role"]), line)
        item = _ITEM.match(line)
        if item is not None:
            yield _Holder(item["name"], _stems(item["role"]), line)


def _stems(role: str) -> frozenset[str]:
    """Return the stems of the words of a role, in the words of the lexicon."""
    return frozenset(content_stems(role)) if not (known := _roles_in(role)) else frozenset(known)


def _with_roles(text: str) -> set[str]:
    return set(content_stems(text)) | _roles_in(text)


def _roles_in(text: str) -> set[str]:
    """Return the roles of the lexicon that a text names by one of their forms or by themselves, as stems."""
    return {role for role, forms in _lexicon().items() if forms.search(text)}


def _words_of_roles(text: str) -> set[str]:
    found = (match[0] for forms in _lexicon().values() for match in forms.finditer(text))
    return {stem for words in found for stem in content_stems(words)}


@cache
def _lexicon() -> dict[str, re.Pattern[str]]:
    """Return by the stem of a role how it may be said."""
    roles: dict[str, list[str]] = json.loads(Path(__file__).with_name("roles.json").read_text("utf-8"))
    return {
        content_stems(role)[0]: re.compile(rf"\b(?:{role}s?|{'|'.join(forms)})\b", re.IGNORECASE)
        for role, forms in roles.items()
    }


def _says_all(question: set[str], role: frozenset[str]) -> bool:
    return all(
        any(is_akin(word, other) and abs(len(word) - len(other)) <= _MOST_ENDING for other in question) for word in role
    )


def _share(words: set[str], said: set[str]) -> float:
    return sum(any(is_akin(word, other) for other in said) for word in words) / len(words) if words else 1.0


_WHO = re.compile(r"\s*(?:who|whom|wer|wen|wem|which|welche[rn]?)\b", re.IGNORECASE)
# Behind a colon stands one person: a second name makes it a list, such as that of all who were present.
_PART = r"(?:[A-ZÀ-ÖØ-Þ][\w’'-]+|[A-ZÀ-ÖØ-Þ]\.)"
_NAME = rf"(?:(?:Dr|Mrs?|Ms|Prof|Herr|Frau)\.? )?{_PART}(?: (?:de |van |von )?{_PART}){{0,3}}"
_ROLE = r"(?P<role>[^\W\d_][^()\d:;.,]{2,40})"
_IN_BRACKETS = re.compile(rf"(?P<name>{_NAME}) \({_ROLE}\)")
_BEHIND_COLON = re.compile(
    rf"(?:^|[.;,|*•-]\s*){_ROLE}:\**\s+(?P<name>{_NAME})(?=[.;|]|$|,(?! [A-ZÀ-ÖØ-Þ]\S* [A-ZÀ-ÖØ-Þ]))"
)
_ITEM = re.compile(rf"[-*•]\s+(?:(?:Dr|Mrs?|Ms|Prof|Herr|Frau)\.? )?(?P<name>{_NAME}), {_ROLE}(?=,|$)")
