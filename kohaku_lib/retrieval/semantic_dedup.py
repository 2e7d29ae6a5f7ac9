"""Finds snippets that say what a better one says already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A snippet, by position, that says what the better one at `of` says."""

    position: int
    of: int
    similarity: float
    by: str  # "cosine" or "3-grams"


def find_duplicates(texts: Sequence[str], vectors: np.ndarray, threshold: float) -> list[Duplicate]:
    """Return the snippets (best first) that are more similar than `threshold` to a better one that stays.

    Similarity is the cosine of `vectors` (n, dim; L2-normalised, all in one product), and where one of the two is a
    row of zeros the share of common 3-grams of characters (Jaccard). A snippet with a number that the better one
    lacks is never a duplicate: reports of two years differ in little else.

    >>> found = find_duplicates(["It is 5.", "It is  5.", "It is 6."], np.zeros((3, 1)), 0.8)
    >>> [(one.position, one.of, one.by) for one in found]
    [(1, 0, '3-grams')]
    """
    cosines = vectors @ vectors.T
    has_vector = vectors.any(axis=1)
    grams = {at: three_grams(text) for at, text in enumerate(texts) if not has_vector.all()}
    numbers = [set(_NUMBER.findall(text)) for text in texts]
    kept: list[int] = []
    found: list[Duplicate] = []
    for at in range(len(texts)):
        duplicate = None
        for of in kept:
            by_cosine = bool(has_vector[at] and has_vector[of])
            similarity = float(cosines[at, of]) if by_cosine else jaccard(grams[at], grams[of])
            if similarity > threshold and numbers[at] <= numbers[of]:
                duplicate = Duplicate(at, of, similarity, "cosine" if by_cosine else "3-grams")
                break
        if duplicate is None:
            kept.append(at)
        else:
            found.append(duplicate)
    return found


def three_grams(text: str) -> frozenset[str]:
    """Return every three characters in a row, in lower case, white space as one blank.

    >>> sorted(three_grams("A  cat"))
    [' ca', 'a c', 'cat']
    """
    plain = " ".join(text.lower().split())
    return frozenset(plain[at : at + 3] for at in range(max(len(plain) - 2, 1)))


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of common members among all.

    >>> jaccard(frozenset("abc"), frozenset("bcd"))
    0.5
    """
    return len(first & second) / max(len(first | second), 1)
