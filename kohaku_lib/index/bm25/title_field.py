"""The title as the second field of BM25F, added to the scores of the text field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEAST_K1 = 1e-9  # replaces k1 = 0, at which the first occurrence saturates


@dataclass(frozen=True, slots=True)
class Posting:
    """The texts that contain a term."""

    texts: np.ndarray  # (n,) int32, each once
    scores: np.ndarray  # (n,) float32, BM25 score of the term in each
    idf: float  # of the term among all texts


@dataclass(frozen=True, slots=True)
class TitleGain:
    """What one occurrence of a query term in titles adds to the scores of texts."""

    documents: np.ndarray  # (m,) the documents whose titles contain it, each once
    alone: float  # gain of each of their texts
    texts: np.ndarray  # (n,) those that contain the term as well
    beside: np.ndarray  # (n,) float64, their gain beyond `alone`

    @property
    def nbytes(self) -> int:
        """The memory of the arrays."""
        return self.documents.nbytes + self.texts.nbytes + self.beside.nbytes


def title_gain(
    posting: Posting, documents: np.ndarray, document_of_text: np.ndarray, weights: tuple[float, float]
) -> TitleGain:
    """Return the gain of a term with `posting` in texts that is also in the titles of `documents`.

    `document_of_text` (texts,) numbers the documents; `weights` are the occurrences that a title counts as, and k1. A term
    with length-normalised frequency `x` in a text and `w` in its title scores idf · (x + w) / (x + w + k1) instead of
    idf · x / (x + k1), with the idf over texts.

    >>> nowhere = Posting(np.empty(0, np.int32), np.empty(0, np.float32), idf=1.5)
    >>> title_gain(nowhere, np.array([1]), np.array([0, 1]), (0.5, 0.5)).alone
    0.75
    """
    # The odds of a saturation x / (x + k1) are x / k1, and the odds of the fields are additive.
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
    """Add the gains of all terms to the BM25 `scores` (texts,) in place, each times its frequency in the query.

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
