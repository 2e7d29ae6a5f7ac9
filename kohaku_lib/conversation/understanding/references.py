"""Words of a question that mean something outside of it: "it", "she", "that course", "dafür"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kohaku_lib.conversation.understanding.phrases import phrases_of
from kohaku_lib.conversation.understanding.wording import AUXILIARIES, WORD, is_german
from kohaku_lib.text.word_lists import words

Kind = Literal["thing", "things", "person", "noun", "matter"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A word, at `start` to `end` of a question, that means something said before.

    `kind` is what it can stand for; "noun": what `text` says after "that", "matter": anything, and nothing takes its place.
    `is_certain` is False where it could mean something in the question itself.
    """

    start: int
    end: int
    text: str
    kind: Kind
    is_certain: bool = True

    @property
    def is_possessive(self) -> bool:
        """Whether it says whose something is."""
        return self.text.lower() in _POSSESSIVES


def open_reference(question: str, earlier: Sequence[str]) -> Reference | None:
    """Return the first word of `question` that means something said before; None if the question explains all of them.

    A pronoun is explained by a noun of an earlier clause, a possessive also by one of its own clause. "that course" is open
    if one of the texts `earlier` has the noun.

    >>> open_reference("How long is the guarantee and what does it cover?", ())
    >>> open_reference("What does it cover?", ()).text
    'it'
    """
    for found in (_GERMAN if is_german(question) else _ENGLISH).finditer(question):
        if found[0].isupper() and not question.isupper():
            continue  # the IT department
        before = question[: found.start()]
        nouns = [] if _is_subject(before) else phrases_of(before, question)
        is_possessive = found[0].lower() in _POSSESSIVES
        if not (
            _is_empty(question, found)
            or phrases_of(_earlier_clauses(before, question), question)
            or (is_possessive and nouns)
        ):
            return Reference(found.start(), found.end(), found[0], _kind(found[0]), is_certain=not nouns)
    for found in _DEMONSTRATIVE.finditer(question):
        noun = found[1].lower()
        if any(noun in (phrase.head, f"{phrase.head}s") for text in earlier for phrase in phrases_of(text)):
            return Reference(found.start(), found.end(), noun, "noun")
    other = _MATTER.search(question)
    if other is not None and not phrases_of(question):
        return Reference(other.start(), other.end(), other[0], "matter")
    return None


def _kind(pronoun: str) -> Kind:
    low = pronoun.lower()
    if low in _PERSONS:
        return "person"
    return "things" if low in _MANY else "thing"


def _is_empty(question: str, found: re.Match[str]) -> bool:
    """Return whether a pronoun stands for nothing, as in "Is it possible to …?" and "gibt es", or is quoted."""
    if found.start() and question[found.start() - 1] in _QUOTES:
        return True
    return any(one.start() <= found.start() < one.end() for one in _EXPLETIVE.finditer(question))


def _earlier_clauses(before: str, question: str) -> str:
    """Return the part of `before` without the clause in which it ends."""
    boundary = _GERMAN_BOUNDARY if is_german(question) else _BOUNDARY
    return before[: max((found.end() for found in boundary.finditer(before)), default=0)]


def _is_subject(before: str) -> bool:
    """Return whether what follows is the subject of the question: "How many hours did its training last?"."""
    tokens = [word.lower() for word in WORD.findall(before)]
    return bool(tokens) and tokens[-1] in AUXILIARIES and _ASKED_OF.match(before) is not None


_QUOTES = "\"“‘'„"
_PERSONS = words("he him his she her hers")
_MANY = words("they them their theirs these those")
_POSSESSIVES = words(
    "its their theirs his her hers sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres dessen deren"
)
_ENGLISH = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|the latter|the former|this one|that one"
    r"|(?:(?<=is )|(?<=was )|(?<=does )|(?<=did )|(?<=do )|(?<=are )|(?<=will )|(?<=can )|(?<=about )|(?<=of )|(?<=for )"
    r"|(?<=with )|(?<=by )|(?<=to ))(?:this|that|these|those)(?=\s*[?.!,]|\s*$|\s+\w+(?:ed|en|ing|al|ant|ble)\b|\s+(?:apply|mean"
    r"|work|cost|include|take|happen|start|end|cover|in|for|to|of|at|on|by|with|also|too)\b))\b",
    re.IGNORECASE,
)
_GERMAN = re.compile(
    r"\b(?:er|ihn|ihm|sie|es|(?:(?<=mit )|(?<=von )|(?<=bei )|(?<=zu ))ihr|ihre[nmrs]?"
    r"|seine[nmrs]?|sein(?=\s+[A-ZÄÖÜ])|deren|dessen|"
    r"(?<!, )das(?!\s+(?:\w+\s+)?[A-ZÄÖÜ])"
    r"|(?:der|die|den|dem|diese[rnms]?|dies|denen)(?=\s*[?.!]*\s*$))\b"
)
_DEMONSTRATIVE = re.compile(r"\b(?:this|that|these|those|diese[rnms]?)\s+(\w+)", re.IGNORECASE)
_MATTER = re.compile(
    r"\b(?:which ones?|the \w+ ones?|how many|there|dafür|davon|dazu|damit|dabei|daran|darin|darüber|dort|da|welche[rs]?)\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"\b(?:is|was|would|will)\s+it\s+(?:be\s+)?(?:\w+\s+){1,2}(?:to|that|if|whether)\b"
    r"|\b(?:does|will|would|did|can)\s+it\s+(?:take|cost|help|matter|make sense|happen)\s+(?:\w+\s+){0,2}?(?:to|if|that|when)\b"
    r"|\btime\s+is\s+it\b|\bit\s+(?:rains|snows|freezes)\b"
    r"|\b(?:gibt|gab|geht|handelt|kommt)\s+es\b|\bes\s+(?:gibt|gab|geht|handelt|regnet|schneit)\b"
    r"|\bist\s+es\s+\w+(?:,|\s+(?:zu|dass|wenn|ob|\w+\s+zu))",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(
    r"[,;:.?]\s|\b(?:and|or|but|when|if|while|before|after|until|because|so|which|where|how|why|what|once|since|than|as)\b",
    re.IGNORECASE,
)
_GERMAN_BOUNDARY = re.compile(
    r"[,;:.?]\s|\b(?:und|oder|aber|wenn|falls|bevor|nachdem|weil|dass|als|ob|wie|was|wann|wo|warum|während|sobald|bis)\b",
    re.IGNORECASE,
)
_ASKED_OF = re.compile(
    r"\s*(?:how|what|which|when|where|why|by|in|for|to|wie|was|welche\w*|wann|wo|warum)\b", re.IGNORECASE
)
