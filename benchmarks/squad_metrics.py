"""Exact match and F1 of an answer, as SQuAD's evaluation defines them (Rajpurkar et al., 2016)."""

from __future__ import annotations

import string
from collections import Counter

_MARKS = str.maketrans(string.punctuation, " " * len(string.punctuation))


def plain_words(text: str) -> list[str]:
    """Return the words of an answer in lower case, without punctuation and articles.

    >>> plain_words("The U.S. coast")
    ['u', 's', 'coast']
    """
    return [word for word in text.lower().translate(_MARKS).split() if word not in {"a", "an", "the"}]


def exact_match(answer: str, truth: str) -> bool:
    """Return whether both have the same words in the same order.

    >>> exact_match("The Nile.", "nile")
    True
    """
    return plain_words(answer) == plain_words(truth)


def f1(answer: str, truth: str) -> float:
    """Return the harmonic mean of precision and recall over the words of two answers.

    >>> f1("the North Sea", "North Sea coast")
    0.8
    """
    ones, others = plain_words(answer), plain_words(truth)
    shared = sum((Counter(ones) & Counter(others)).values())
    return 2 * shared / (len(ones) + len(others)) if shared else 0.0
