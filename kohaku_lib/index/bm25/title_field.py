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
class TitleGain:
    """What the titles that hold a term add to the scores of texts, where the term is asked once."""

    documents: np.ndarray  # (m,) the numbers of those whose titles hold it, each once
    alone: float  # for each of their texts
    texts: np.ndarray  # (n,) those of them that hold the term, too
    beside: np.ndarray  # (n,) float64, what these get beyond that

    @property
    def nbytes(self) -> int:
        """The memory of the arrays."""
        return self.documents.nbytes + self.texts.nbytes + self.beside.nbytes


def title_gain(
    posting: Posting, documents: np.ndarray, document_of_text: np.ndarray, weights: tuple[float, float]
) -> TitleGain:
    """Return what a term brings that stands at `posting` in texts and in the titles of `documents`.

    `document_of_text` (texts,) numbers the documents; `weights` are the occurrences that a title counts as, and k1. A
    term that a text has `x` times (normalised by length) and a title `w` gives idf · (x + w) / (x + w + k1) in place of
    idf · x / (x + k1), with the idf of the texts.

    >>> nowhere = Posting(np.empty(0, np.int32), np.empty(0, np.float32), idf=1.5)
    >>> title_gain(nowhere, np.array([1]), np.array([0, 1]), (0.5, 0.5)).alone
    0.75
    """
    # A saturation x / (x + k1) as odds is x / k1, and odds of both fields add up.
    odds = weights[0] / max(weights[1], LEAST_K1)
    alone = posting.idf * odds / (1 + odds)
    both = np.flatnonzero(np.isin(document_of_text.take(posting.texts), documents))
    held = posting.scores.take(both).astype(np.float64)
    share = np.minimum(held / posting.idf, 1 - LEAST_K1)
    together = odds + share / (1 - share)
    beside = posting.idf * together / (1 + together) - held - alone
    return TitleGain(documents.astype(np.intp), alone, posting.texts.take(both).astype(np.intp), beside)


def add_titles(
    scores: np.ndarray, gains: Sequence[tuple[int, TitleGain]], document_of_text: np.ndarray, documents: int
) -> None:
    """Add to the BM25 `scores` (texts,) the gains of all terms, each as often as it is asked, in place.

    >>> scores, one = np.zeros(2, np.float32), TitleGain(np.array([1]), 0.5, np.array([1]), np.array([0.25]))
    >>> add_titles(scores, [(2, one)], np.array([0, 1]), 2)
    >>> scores.tolist()
    [0.0, 1.5]
    """
    beside = np.concatenate([times * gain.beside for times, gain in gains])
    np.add.at(scores, np.concatenate([gain.texts for _, gain in gains]), beside.astype(np.float32))
    of_document = np.zeros(documents, np.float32)
    for times, gain in gains:
        of_document[gain.documents] += times * gain.alone
    scores += of_document.take(document_of_text)


def idf_of(texts: int, holding: int) -> float:
    """Return the idf of a term that `holding` of `texts` texts hold, in Lucene's form.

    >>> round(idf_of(8, 2), 3)
    1.281
    """
    return float(np.log(1 + (texts - holding + 0.5) / (holding + 0.5)))
