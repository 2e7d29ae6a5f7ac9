"""Counts the words of titles among those of texts: the second field of BM25F, added to scores that know the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEAST_K1 = 1e-9  # stands for a saturation of zero, where the first occurrence counts all


@dataclass(frozen=True, slots=True)
class Posting:
    """Where a term stands."""

    texts: np.ndarray  # (n,) int32, each once
    scores: np.ndarray  # (n,) float32, what the term alone gives each of them in BM25
    idf: float  # of the term among all texts


@dataclass(frozen=True, slots=True)
class TitledTerm:
    """A term of a query that stands in titles."""

    times: int  # that it is asked
    in_texts: Posting
    documents: np.ndarray  # (m,) the numbers of those whose titles hold it, each once


def add_titles(
    scores: np.ndarray,
    terms: Sequence[TitledTerm],
    document_of_text: np.ndarray,
    documents: int,
    weights: tuple[float, float],
) -> None:
    """Add to the BM25 `scores` (texts,) what `terms` in the titles of their documents bring, in place.

    `document_of_text` (texts,) numbers the `documents`; `weights` are the occurrences that a title counts as, and k1.
    A term that a text has `x` times (normalised by length) and a title `w` gives idf · (x + w) / (x + w + k1) in place
    of idf · x / (x + k1), with the idf of the texts. All terms go through in one pass.

    >>> scores, nowhere = np.zeros(2, np.float32), Posting(np.empty(0, np.int32), np.empty(0, np.float32), 1.5)
    >>> add_titles(scores, [TitledTerm(1, nowhere, np.array([1]))], np.array([0, 1]), 2, (0.5, 0.5))
    >>> scores.tolist()
    [0.0, 0.75]
    """
    # A saturation x / (x + k1) as odds is x / k1, and odds of both fields add up.
    odds = weights[0] / max(weights[1], LEAST_K1)
    idf, times = np.array([term.in_texts.idf for term in terms]), np.array([term.times for term in terms])
    alone = idf * odds / (1 + odds)
    titled, of_title = _joined([term.documents for term in terms])
    is_titled = np.zeros(len(terms) * documents, bool)
    is_titled[of_title * documents + titled] = True
    texts, of_text = _joined([term.in_texts.texts for term in terms])
    # take() and machine integers: several times as fast here as brackets and the integers of the files
    both = np.flatnonzero(is_titled.take(of_text * documents + document_of_text.take(texts)))
    own = of_text.take(both)
    held = np.concatenate([term.in_texts.scores for term in terms]).take(both).astype(np.float64)
    share = np.minimum(held / idf.take(own), 1 - LEAST_K1)
    together = odds + share / (1 - share)
    more = times.take(own) * (idf.take(own) * together / (1 + together) - held - alone.take(own))
    np.add.at(scores, texts.take(both), more.astype(np.float32))
    of_document = np.zeros(documents, np.float32)
    np.add.at(of_document, titled, (times * alone).astype(np.float32).take(of_title))
    scores += of_document.take(document_of_text)


def _joined(parts: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return `parts` in one, and for each item the number of its part."""
    return np.concatenate(parts).astype(np.intp), np.repeat(np.arange(len(parts)), list(map(len, parts)))


def idf_of(texts: int, holding: int) -> float:
    """Return the idf of a term that `holding` of `texts` texts hold, in Lucene's form.

    >>> round(idf_of(8, 2), 3)
    1.281
    """
    return float(np.log(1 + (texts - holding + 0.5) / (holding + 0.5)))
