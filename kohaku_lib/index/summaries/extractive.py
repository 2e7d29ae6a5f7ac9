"""Summaries without a model: the sentences of a cluster that are nearest to its centroid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kohaku_lib.embedding import normalized
from kohaku_lib.text.token_estimates import estimated_tokens


@dataclass(frozen=True, slots=True)
class EmbeddedPassage:
    """A text with its vector (dim,), and its sentences with theirs (sentences, dim)."""

    text: str
    vector: np.ndarray
    sentences: tuple[str, ...]
    sentence_vectors: np.ndarray


@dataclass(frozen=True, slots=True)
class Cluster:
    """Passages to be summarised together, and a name for messages."""

    name: str
    passages: tuple[EmbeddedPassage, ...]


@dataclass(frozen=True, slots=True)
class SummaryReport:
    """The sentences of the summary of each cluster, in their order, and why some are not those of the model."""

    sentences: list[tuple[str, ...]]
    problems: tuple[str, ...] = ()


class Summariser(Protocol):
    """Writes a summary for each of several clusters."""

    def summarise(self, clusters: Sequence[Cluster]) -> SummaryReport:
        """Return the sentences of each summary; never none of a cluster that has any."""
        ...


class ExtractiveSummariser:
    """Takes the sentences nearest to the centroid of a cluster, up to `most_tokens`, in their order."""

    def __init__(self, most_tokens: int) -> None:
        self._most_tokens = most_tokens

    def summarise(self, clusters: Sequence[Cluster]) -> SummaryReport:
        """Return the central sentences of each cluster."""
        return SummaryReport([central_sentences(cluster, self._most_tokens) for cluster in clusters])


def central_sentences(cluster: Cluster, most_tokens: int) -> tuple[str, ...]:
    """Return the sentences of `cluster` nearest to its centroid that fit into `most_tokens`, in their order.

    The nearest one is always taken, equal ones once. The centroid is the mean of the vectors of the passages.

    >>> vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]])
    >>> passage = EmbeddedPassage("", np.array([1.0, 0.3]), ("A cat.", "A dog.", "A cat and a dog."), vectors)
    >>> central_sentences(Cluster("pets", (passage,)), 5)
    ('A cat.', 'A cat and a dog.')
    """
    texts = [text for passage in cluster.passages for text in passage.sentences]
    if not texts:
        return ()
    centroid = normalized(np.mean([passage.vector for passage in cluster.passages], axis=0)[None])[0]
    cosines = np.concatenate([passage.sentence_vectors for passage in cluster.passages]) @ centroid
    chosen: dict[str, int] = {}
    left = most_tokens
    for at in np.argsort(-cosines, kind="stable").tolist():
        size = estimated_tokens(texts[at])
        if texts[at] not in chosen and (size <= left or not chosen):
            chosen[texts[at]] = at
            left -= size
    return tuple(texts[at] for at in sorted(chosen.values()))
