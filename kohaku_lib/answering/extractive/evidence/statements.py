"""The sentences and rows of a text with their words: what every question about the text needs of it alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from kohaku_lib.answering.extractive.evidence.lines import is_row
from kohaku_lib.answering.extractive.text import Token, statement_spans, tokens_of


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or table row; the places of its tokens are in words, and punctuation adds distance."""

    text: str
    tokens: tuple[Token, ...]
    places: tuple[float, ...]
    stems: frozenset[str]
    is_row: bool


@lru_cache(maxsize=1024)  # texts, about 30 MB: deeper contexts and later questions meet most of them again
def statements_of(text: str) -> tuple[Statement, ...]:
    """Return the sentences and rows of `text` in order.

    >>> [(one.text, one.places) for one in statements_of("It ran. It stopped, slowly.")]
    [('It ran.', (1.0, 2.0)), ('It stopped, slowly.', (1.0, 2.0, 5.0))]
    """
    return tuple(_statement(text[start:end]) for start, end in statement_spans(text))


_GAPS = {",": 2.0, ";": 4.0, ":": 1.0, "(": 1.0, ")": 1.0, "|": 1.0, ".": 4.0, "\n": 4.0, "•": 4.0}  # in words


def _statement(text: str) -> Statement:
    tokens = tokens_of(text)
    return Statement(text, tokens, _places(text, tokens), frozenset(token.stem for token in tokens), is_row(text))


def _places(text: str, tokens: tuple[Token, ...]) -> tuple[float, ...]:
    places, place, end = [], 0.0, 0
    for token in tokens:
        gap = text[end : token.start]
        place += 1.0 if gap in {" ", ""} else 1.0 + sum(_GAPS.get(sign, 0.0) for sign in gap)
        places.append(place)
        end = token.end
    return tuple(places)
