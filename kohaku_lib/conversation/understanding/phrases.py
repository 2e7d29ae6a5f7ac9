"""The noun phrases of a question: what it is about, and what another thing can take the place of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kohaku_lib.conversation.understanding.wording import (
    AUXILIARIES,
    BE,
    WORD,
    is_code,
    is_content,
    is_german,
    is_name,
)
from kohaku_lib.text.units import is_unit
from kohaku_lib.text.word_lists import words


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that name a thing, as they stand in a text from `start` on: its article, and its words of content.

    `is_subject` tells that it follows an auxiliary verb, or the verb after "who".
    """

    start: int
    article: str  # as it is written; empty if it has none
    name: str  # the phrase without its article
    is_subject: bool = False

    @property
    def text(self) -> str:
        """The phrase with its article."""
        return f"{self.article} {self.name}" if self.article else self.name

    @property
    def end(self) -> int:
        """The place in the text after the phrase."""
        return self.start + len(self.text)

    @property
    def head(self) -> str:
        """The last word that is no code or number, in small letters: what kind of thing it is; empty if there is none."""
        tokens = reversed(self.name.split())
        return next((word.lower() for word in tokens if not (is_code(word) or word.isdigit())), "")

    @property
    def is_named(self) -> bool:
        """Whether it has a name of its own."""
        return any(map(is_name, self.name.split()))


def phrases_of(text: str, part_of: str | None = None) -> list[Phrase]:
    """Return the noun phrases of `text`, in order; verbs are told from nouns by where they stand.

    The language is that of the text it is `part_of`.

    >>> [phrase.text for phrase in phrases_of("How many kWh did the old ferry use on the way to Nida?")]
    ['the old ferry', 'the way', 'Nida']
    >>> [phrase.text for phrase in phrases_of("Wie lange gilt die Garantie für den Motor X2?")]
    ['die Garantie', 'den Motor X2']
    """
    tokens = list(WORD.finditer(text))
    is_noun = _german_noun if is_german(part_of or text) else _english_noun
    nouns = [is_noun(tokens, at) for at in range(len(tokens))]
    runs = _runs(text, tokens, nouns)
    runs = _without_verbs(tokens, runs) if is_noun is _english_noun else runs
    return [_phrase(text, tokens, first, end) for first, end in runs if first < end]


def phrases_inside(fragment: str, before: str) -> list[Phrase]:
    """Return the noun phrases of a part of a sentence, in the language of the question `before`.

    >>> [phrase.text for phrase in phrases_inside("Holz 2", "Was kostet der Kurs Holz 1?")]
    ['Holz 2']
    """
    return phrases_of(f"und {fragment}", before)


def joined_phrases(text: str) -> list[Phrase]:
    """Return the noun phrases of `text`, joined over "of" and "for".

    >>> [phrase.text for phrase in joined_phrases("What was the price of the course in 2023?")]
    ['the price of the course']
    """
    joined: list[Phrase] = []
    for phrase in phrases_of(text):
        last = joined[-1] if joined else None
        between = text[last.end : phrase.start].strip().lower() if last else None
        is_genitive = between == "" and phrase.article.lower() in ("des", "der")
        if last and (between in ("of", "for", "von", "für") or is_genitive):
            name = text[last.end - len(last.name) : phrase.end]
            joined[-1] = Phrase(last.start, last.article, name, last.is_subject)
        else:
            joined.append(phrase)
    return joined


def _english_noun(tokens: list[re.Match[str]], at: int) -> bool:
    """Return whether a word carries content; a unit does beside a noun, as in "opening hours" and "day ticket"."""
    word, before = tokens[at][0], _word(tokens, at - 1)
    if not is_unit(word):
        return is_content(word, before) or _is_numbering(tokens, at)
    beside = [before] if at + 1 == len(tokens) or before in ("many", "much") else [before, tokens[at + 1][0]]
    return any(map(is_content, beside))


def _german_noun(tokens: list[re.Match[str]], at: int) -> bool:
    """Return whether a word is a noun, a name or the adjective before one."""
    word = tokens[at][0]
    if is_code(word) or (at > 0 and word[0].isupper()):
        return is_content(word)
    if word.isdigit():
        return _is_numbering(tokens, at)
    is_adjective = at > 0 and re.search(r"e[nrsm]?$", word) is not None and is_content(word)
    has_article = at > 0 and _ARTICLE.fullmatch(tokens[at - 1][0]) is not None
    return is_adjective and has_article and at + 1 < len(tokens) and tokens[at + 1][0][0].isupper()


def _is_numbering(tokens: list[re.Match[str]], at: int) -> bool:
    """Return whether a word numbers the noun before it, as in "level 3"."""
    return at > 0 and re.fullmatch(r"\d{1,3}", tokens[at][0]) is not None and is_content(tokens[at - 1][0])


def _runs(text: str, tokens: list[re.Match[str]], nouns: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield the first word and the end of each run of nouns with nothing but white space between them."""
    at = 0
    while at < len(tokens):
        if not nouns[at]:
            at += 1
            continue
        end = at + 1
        while end < len(tokens) and nouns[end] and text[tokens[end - 1].end() : tokens[end].start()].isspace():
            end += 1
        yield at, end
        at = end


def _without_verbs(tokens: list[re.Match[str]], runs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield runs of English words without the verbs of their clauses: "teaches B1" after who, "the course start" after does."""
    awaits_verb, done = False, 0
    for first, end in runs:
        gap = [_word(tokens, at) for at in range(done, first)]
        awaits_verb = (awaits_verb and not _VERBS & set(gap)) or bool(_BEFORE_SUBJECTS & set(gap))
        done = end
        after = _word(tokens, end)
        is_asked_for = bool(gap) and gap[-1] in ("who", "what") and after not in AUXILIARIES
        is_after_pronoun = awaits_verb and bool(gap) and gap[-1] in _SUBJECT_PRONOUNS
        start, last = first + (is_asked_for or is_after_pronoun), end
        awaits_verb = awaits_verb and not is_after_pronoun
        if awaits_verb and after not in ("of", "for", "and", "or"):
            last -= last - start > 1 and after not in AUXILIARIES | _VERBS
            awaits_verb = False
        while last - start > 1 and (after == "than" or re.search(r"[^e]ed$", tokens[last - 1][0])):
            after = ""
            last -= 1
        yield start, last


def _phrase(text: str, tokens: list[re.Match[str]], first: int, end: int) -> Phrase:
    name = text[tokens[first].start() : tokens[end - 1].end()]
    before = tokens[first - 1] if first else None
    has_article = before is not None and _ARTICLE.fullmatch(before[0]) is not None
    article = text[before.start() : tokens[first].start()].strip() if before is not None and has_article else ""
    start = tokens[first].start() - (len(article) + 1 if article else 0)
    verb = first - 1 - has_article
    is_counted = _word(tokens, verb) in ("which", "welche", "welcher", "welches") and _word(tokens, end) in BE
    is_subject = (
        is_counted
        or _word(tokens, verb) in AUXILIARIES | _VERBS
        or _word(tokens, verb - 1) in ("who", "what", "wer", "was")
    )
    return Phrase(start, article, name, is_subject)


def _word(tokens: list[re.Match[str]], at: int) -> str:
    return tokens[at][0].lower() if 0 <= at < len(tokens) else ""


_ARTICLE = re.compile(
    r"the|an?|this|that|these|those|der|die|das|den|dem|des|eine?[nmrs]?|im|am|zum|zur|vom|beim|ins", re.IGNORECASE
)
_VERBS = words("take cost last use need get make want happen kostet dauert gilt")
_SUBJECT_PRONOUNS = words("i you we they he she it one")
_BEFORE_SUBJECTS = (AUXILIARIES - BE) | words("when if because while until once unless although")
