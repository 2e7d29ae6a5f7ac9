"""Whether a statement is about another thing of the kind that a question names: the Aurora lamp, not the Polaris lamp."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from kohaku_lib.answering.citing.quotes import find_quote
from kohaku_lib.answering.extractive.text import Token, carries_content, statement_spans, tokens_of, words
from kohaku_lib.tables import Snippet, StructuredAnswer


def is_of_another_thing(question: str, statement: str, before: Sequence[str] = (), place: str = "") -> bool:
    """Return whether `statement` names another thing than the question beside the same noun, another rank, or the way back.

    A statement that begins with a pronoun is about what the sentences `before` it name last. What is said in its `place`,
    the title and the headings above it, need not be said again.

    >>> is_of_another_thing("What does the Polaris lamp weigh?", "The Aurora lamp weighs 1.2 kg.")
    True
    >>> is_of_another_thing("Who designed the Polaris lamp?", "It is Ines Holm's.", ["The Aurora lamp costs 59 EUR."])
    True
    >>> is_of_another_thing("What does the lamp weigh?", "The Aurora lamp weighs 1.2 kg.")
    False
    >>> is_of_another_thing("Who is the chair?", "Deputy chair: Ann Lee.")
    True
    >>> is_of_another_thing("What does delivery to Norway cost?", "Delivery from Norway costs 20 EUR.")
    True
    """
    asked, told = tokens_of(question), tokens_of(statement)
    is_referring = bool(told) and told[0].surface.lower() in _PRONOUNS
    said = [told, *(tokens_of(sentence) for sentence in reversed(before if is_referring else ()))]
    placed = {token.stem for token in tokens_of(place)}
    return (
        any(_is_other_name(*pair, asked, said, placed) for pair in _named_things(asked))
        or _is_other_rank(asked, told, placed)
        or _is_way_back(question, statement)
    )


def is_answer_of_another_thing(question: str, answer: StructuredAnswer, snippets: Sequence[Snippet]) -> bool:
    """Return whether the quote of an answer is about another thing, read with the sentences before it in its snippet."""
    place = find_quote(answer.quote, snippets) if answer.quote else None
    if place is None:
        return False
    text = place.snippet.text
    before = [text[start:end] for start, end in statement_spans(text) if end <= place.char_start]
    return is_of_another_thing(question, text[place.char_start : place.char_end], before, place.snippet.place)


def _named_things(tokens: Sequence[Token]) -> Iterator[tuple[str, str, bool]]:
    """Yield the stems of a name and of the noun beside it, and whether the name comes first."""
    for first, second in pairwise(tokens):
        if second.start - first.end != 1:
            continue
        if _is_name(first) and _is_noun(second):
            yield first.stem, second.stem, True
        elif _is_noun(first) and _is_name(second):
            yield second.stem, first.stem, False


def _is_name(token: Token) -> bool:
    """Return whether a word is written as a name; the first of a text is capital whatever it is."""
    is_marked = token.start > 0 and token.surface[0].isupper() and carries_content(token.surface)
    return is_marked or (token.surface[0].isalpha() and any(sign.isdigit() for sign in token.surface))


def _is_noun(token: Token) -> bool:
    return (
        token.surface.islower()
        and token.surface.isalpha()
        and len(token.surface) > 2
        and carries_content(token.surface)
    )


def _is_other_name(
    name: str, noun: str, is_first: bool, asked: Sequence[Token], said: Sequence[Sequence[Token]], placed: set[str]
) -> bool:
    """Return whether the sentences, the nearest first, say `noun` beside a name of their own before they say `name`."""
    known = {token.stem for token in asked}
    for tokens in said if name not in placed else ():
        if any(token.stem == name for token in tokens):
            return False
        if any(_is_name(own) and own.stem not in known for own in _beside(noun, tokens, is_first)):
            return True
    return False


def _beside(noun: str, tokens: Sequence[Token], is_first: bool) -> Iterator[Token]:
    """Yield the words that stand where the name of `noun` would."""
    for first, second in pairwise(tokens):
        if second.start - first.end == 1 and (second if is_first else first).stem == noun:
            yield first if is_first else second


def _is_other_rank(asked: Sequence[Token], told: Sequence[Token], placed: set[str]) -> bool:
    """Return whether a noun that both name has a rank in one of them alone."""
    asked_ranks, told_ranks = _ranks(asked), _ranks(told)
    said = {token.stem for token in told} | placed
    for noun, ranks in asked_ranks.items():
        if noun in said and not ranks & said:
            return True
    nouns = {token.stem for token in asked if carries_content(token.surface)}
    return any(
        noun in nouns and noun not in asked_ranks and not ranks & placed and ranks <= _ROLES and _is_only(noun, told)
        for noun, ranks in told_ranks.items()
    )


def _ranks(tokens: Sequence[Token]) -> dict[str, set[str]]:
    """Return by the stem of a noun the words of rank before it."""
    found: dict[str, set[str]] = {}
    for first, second in pairwise(tokens):
        if first.stem in _RANKS and second.start - first.end == 1 and carries_content(second.surface):
            found.setdefault(second.stem, set()).add(first.stem)
    return found


def _is_only(noun: str, told: Sequence[Token]) -> bool:
    """Return whether a noun never stands without a rank."""
    return all(first.stem in _RANKS for first, second in pairwise(told) if second.stem == noun) and told[0].stem != noun


def _is_way_back(question: str, statement: str) -> bool:
    ways = {(way.lower(), name) for way, name in _WAY.findall(question)}
    told = {(way.lower(), name) for way, name in _WAY.findall(statement)}
    return any(
        (_BACK[way], name) in told and (way, name) not in told and (_BACK[way], name) not in ways for way, name in ways
    )


def _stems(text: str) -> frozenset[str]:
    return frozenset(token.stem for token in tokens_of(text))


_PRONOUNS = words("it its he she his her they their this these er sie es sein seine ihr ihre dieser diese dieses")
_ROLES = _stems(
    "deputy vice assistant acting interim substitute honorary former spare stellvertretende stellvertretender ehemalige"
)
_RANKS = _ROLES | _stems("second third fourth next previous zweite zweiter dritte dritter nächste vorige")
_WAY = re.compile(r"\b([Tt]o|[Ff]rom) ([A-Z]\w+)")
_BACK = {"to": "from", "from": "to"}
