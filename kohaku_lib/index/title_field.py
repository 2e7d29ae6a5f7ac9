"""Counts the words of titles among those of texts: the second field of BM25F, added to scores that know the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

LEAST_K1 = 1e-9  # stands for a saturation of zero, where the first occurrence counts all


@dataclass(frozen=True, slots=True)
class Posting:
    """Where a term stands."""

    texts: np.ndarray  # (n,) int32, each once
    scores: np.ndarray  # (n,) float32, what the term alone gives each of them in BM25


def add_titles(
    scores: np.ndarray,
    in_texts: Mapping[str, Posting],
    in_titles: Mapping[str, Posting],
    asked: Mapping[str, int],
    document_of_text: np.ndarray,
    weights: tuple[float, float],
) -> None:
    """Add to the BM25 `scores` (texts,) what terms in the titles of their documents bring, in place.

    `in_texts` and `in_titles` have the same terms, `asked` how often each stands in the query; `weights` are the
    occurrences that a title counts as, and k1. A term that a text has `x` times (normalised by length) and a title `w`
    gives idf · (x + w) / (x + w + k1) in place of idf · x / (x + k1), with the idf of the texts.

    >>> scores, nowhere = np.zeros(2, np.float32), Posting(np.empty(0, np.int32), np.empty(0, np.float32))
    >>> title = Posting(np.array([1]), np.ones(1))
    >>> add_titles(scores, {"cat": nowhere}, {"cat": title}, {"cat": 1}, np.array([0, 1]), (0.5, 0.5))
    >>> (scores / idf_of(2, 0)).round(3).tolist()
    [0.0, 0.5]
    """
    # A saturation x / (x + k1) as odds is x / k1, and odds of both fields add up.
    odds = weights[0] / max(weights[1], LEAST_K1)
    documents = int(document_of_text.max(initial=-1)) + 1
    of_document = np.zeros(documents, np.float32)
    for term, titles in in_titles.items():
        posting = in_texts[term]
        idf = idf_of(len(scores), len(posting.texts))
        times = asked[term]
        alone = idf * odds / (1 + odds)
        is_titled = np.zeros(documents, bool)
        is_titled[titles.texts] = True
        of_document[titles.texts] += times * alone
        both = is_titled[document_of_text[posting.texts]]
        held = posting.scores[both].astype(np.float64)
        share = np.minimum(held / idf, 1 - LEAST_K1)
        together = odds + share / (1 - share)
        scores[posting.texts[both]] += (times * (idf * together / (1 + together) - held - alone)).astype(np.float32)
    scores += of_document[document_of_text]


def idf_of(texts: int, holding: int) -> float:
    """Return the idf of a term that `holding` of `texts` texts hold, in Lucene's form.

    >>> round(idf_of(8, 2), 3)
    1.281
    """
    return float(np.log(1 + (texts - holding + 0.5) / (holding + 0.5)))


def sum_of_idf(texts: int, holding: Sequence[int]) -> float:
    """Return the sum of the idf of several terms: more than any text can score."""
    return sum(idf_of(texts, each) for each in holding)
