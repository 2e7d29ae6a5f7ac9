"""Titles and headings as further fields of BM25F, added to the scores of the text field."""

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
class FieldGain:
    """What one occurrence of a query term in titles and headings adds to the scores of texts."""

    sections: np.ndarray  # (m,) the sections that have it in their fields, each once
    alone: np.ndarray  # (m,) float64, gain of each of their texts
    texts: np.ndarray  # (n,) those that contain the term as well
    beside: np.ndarray  # (n,) float64, their gain beyond `alone`

    @property
    def nbytes(self) -> int:
        """The memory of the arrays."""
        return self.sections.nbytes + self.alone.nbytes + self.texts.nbytes + self.beside.nbytes


def field_gain(posting: Posting, occurrences: np.ndarray, section_of_text: np.ndarray, k1: float) -> FieldGain:
    """Return the gain of a term with `posting` in the texts of sections that have it in their fields.

    `occurrences` (sections,) are those in a text that the term in the fields of a section counts as, 0 without it;
    `section_of_text` is (texts,). A term with length-normalised frequency `x` in a text and `w` in its fields scores
    idf · (x + w) / (x + w + k1) instead of idf · x / (x + k1), with the idf over texts.

    >>> nowhere = Posting(np.empty(0, np.int32), np.empty(0, np.float32), idf=1.5)
    >>> field_gain(nowhere, np.array([0.0, 0.5]), np.array([0, 1]), k1=0.5).alone.tolist()
    [0.75]
    """
    # The odds of a saturation x / (x + k1) are x / k1, and the odds of the fields are additive.
    odds = occurrences / max(k1, LEAST_K1)
    sections = np.flatnonzero(odds)
    of_posting = odds.take(section_of_text.take(posting.texts))
    both = np.flatnonzero(of_posting)
    held = posting.scores.take(both).astype(np.float64)
    share = np.minimum(held / posting.idf, 1 - LEAST_K1)
    gained = of_posting.take(both)
    beside = posting.idf * (_saturated(gained + share / (1 - share)) - _saturated(gained)) - held
    return FieldGain(sections, posting.idf * _saturated(odds.take(sections)), posting.texts.take(both), beside)


def add_fields(
    scores: np.ndarray, gains: Sequence[tuple[int, FieldGain]], section_of_text: np.ndarray, sections: int
) -> None:
    """Add the gains of all terms to the BM25 `scores` (texts,) in place, each times its frequency in the query.

    >>> scores, one = np.zeros(2, np.float32), FieldGain(np.array([1]), np.array([0.5]), np.array([1]), np.array([0.25]))
    >>> add_fields(scores, [(2, one)], np.array([0, 1]), 2)
    >>> scores.tolist()
    [0.0, 1.5]
    """
    beside = np.concatenate([times * gain.beside for times, gain in gains])
    np.add.at(scores, np.concatenate([gain.texts for _, gain in gains]), beside.astype(np.float32))
    of_section = np.zeros(sections, np.float32)
    for times, gain in gains:
        of_section[gain.sections] += (times * gain.alone).astype(np.float32)
    scores += of_section.take(section_of_text)


def _saturated(odds: np.ndarray) -> np.ndarray:
    return odds / (1 + odds)
