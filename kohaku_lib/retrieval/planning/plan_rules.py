"""Plans queries by rule: the question, its keywords, its names and numbers, its statement."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.text.stop_words import query_stop_words
from kohaku_lib.text.tokens import WORD
from kohaku_lib.values import strip_claim_prefix

NEAR_DUPLICATE = 0.9  # share of common words from which two queries are near-duplicates

_OPENING = re.compile(
    r"^\s*(?:what|which|who|whose|when|where|why|how(?:\s+(?:many|much|long|large|often|far))?)\b"
    r"(?:\s+(?:is|are|was|were|did|does|do|has|have|had|would|will|can|could))?(?:\s+(?:the|a|an))?\s+",
    re.IGNORECASE,
)
_FOCUS = re.compile(r"\d|.[A-Z]")


def plan_by_rule(question: str, max_queries: int) -> list[str]:
    """Return up to `max_queries` queries for `question`, the question itself first.

    The others are its keywords, its names and numbers, and the question as a statement. Near-duplicates of earlier
    queries are omitted, so there may be fewer.

    >>> plan_by_rule("What were the net CO2e emissions from training the GShard-600B model?", 3)[1:]
    ['net CO2e emissions training GShard-600B model', 'CO2e GShard-600B']
    """
    statement = _as_statement(question)
    content = [word for word in _words(statement) if _is_content(word)]
    focus = names_and_numbers(question)
    # A single name or bare numbers would match every text that mentions them.
    focus = focus if len(set(focus)) > 1 and any(map(_has_letter, focus)) else []
    candidates = [question, " ".join(content), " ".join(focus), statement]
    return distinct_queries(candidates, max_queries)


def names_and_numbers(question: str) -> list[str]:
    """Return the words of `question` with a digit or a capital, in order, repeated ones included.

    >>> names_and_numbers("How many homes did Vestas power in FY2021?")
    ['Vestas', 'FY2021']
    """
    words = _words(_as_statement(question))
    # An initial capital is not informative for the first word of a sentence.
    is_name = [bool(_FOCUS.search(word)) or (at > 0 and word[0].isupper()) for at, word in enumerate(words)]
    return [word for word, named in zip(words, is_name, strict=True) if named and _is_content(word)]


def distinct_queries(candidates: Sequence[str], max_queries: int) -> list[str]:
    """Return the first `max_queries` of `candidates` that are neither empty nor near-duplicates of earlier ones."""
    queries: list[str] = []
    for candidate in candidates:
        query = candidate.strip()
        if query and len(queries) < max_queries and not any(_is_near(query, other) for other in queries):
            queries.append(query)
    return queries


def _as_statement(question: str) -> str:
    body = " ".join(question.split())
    return _OPENING.sub("", strip_claim_prefix(body)).rstrip(" ?.!")


def _is_content(word: str) -> bool:
    return word.lower() not in query_stop_words("english")


def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))


def _is_near(first: str, second: str) -> bool:
    """Return whether two queries have nearly the same words, in any order."""
    one, other = _word_set(first), _word_set(second)
    return len(one & other) >= NEAR_DUPLICATE * max(len(one | other), 1)


def _word_set(query: str) -> set[str]:
    return {word.lower() for word in _words(query)} or {query.lower()}


def _words(text: str) -> list[str]:
    return [found[0] for found in WORD.finditer(text)]
