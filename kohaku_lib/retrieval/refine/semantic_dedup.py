"""Finds near-duplicates of better-ranked snippets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A snippet, by position, that duplicates the better one at `of`."""

    position: int
    of: int
    similarity: float
    by: str  # "cosine" or "3-grams"


def find_duplicates(text_of: Callable[[int], str], vectors: np.ndarray, threshold: float) -> list[Duplicate]:
    """Return the snippets (best first) that are more similar than `threshold` to a better one that remains.

    Similarity is the cosine of `vectors` (n, dim; L2-normalised) or, if one of the two is a zero row, the Jaccard index
    of character 3-grams. A snippet with a number that the better one lacks is never a duplicate: reports of two years
    differ in little else. `text_of` returns the text at a position and is called only if needed.

    >>> texts = ["It is 5.", "It is  5.", "It is 6."]
    >>> [(one.position, one.of, one.by) for one in find_duplicates(texts.__getitem__, np.zeros((3, 1)), 0.8)]
    [(1, 0, '3-grams')]
    """
    cosines = vectors @ vectors.T
    has_vector = np.any(vectors != 0, axis=1)
    by_cosine = np.logical_and.outer(has_vector, has_vector)
    may_be_one = np.where(by_cosine, cosines > threshold, True)
    grams = lru_cache(maxsize=None)(lambda at: three_grams(text_of(at)))
    numbers = lru_cache(maxsize=None)(lambda at: set(_NUMBER.findall(text_of(at))))
    duplicate_by_position: dict[int, Duplicate] = {}
    for at in range(len(vectors)):
        for of in np.flatnonzero(may_be_one[at, :at]).tolist():
            if of in duplicate_by_position or at in duplicate_by_position or not numbers(at) <= numbers(of):
                continue
            is_cosine = bool(by_cosine[at, of])
            similarity = float(cosines[at, of]) if is_cosine else gram_similarity(grams(at), grams(of))
            if similarity > threshold:
                duplicate_by_position[at] = Duplicate(at, of, similarity, "cosine" if is_cosine else "3-grams")
    return list(duplicate_by_position.values())


def three_grams(text: str) -> frozenset[str]:
    """Return the character 3-grams of `text`, in lower case, with white space collapsed.

    >>> sorted(three_grams("A  cat"))
    [' ca', 'a c', 'cat']
    """
    plain = " ".join(text.lower().split())
    return frozenset(plain[at : at + 3] for at in range(max(len(plain) - 2, 1)))


def gram_similarity(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the Jaccard index of the 3-grams of two texts, which are never empty: a blank text has the gram "".

    >>> gram_similarity(three_grams("abcde"), three_grams("bcdef")), gram_similarity(three_grams(""), three_grams(" "))
    (0.5, 1.0)
    """
    return len(first & second) / len(first | second)
