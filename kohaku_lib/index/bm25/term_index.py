"""BM25 over texts of one kind: reads term scores by text, computed in `index_building`, in the file format of bm25s."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from kohaku_lib.errors import StoreError
from kohaku_lib.index.bm25.field_gains import Posting
from kohaku_lib.index.bm25.idf import idf
from kohaku_lib.storage.matrix_files import map_matrix

KNOWN_TERMS = 2**14  # with cached postings: views of the mapped files, a few hundred bytes each


class TermIndex:
    """The memory-mapped index in `folder` over `texts` texts, empty if the folder is missing. Thread-safe.

    Raises:
        StoreError: its files are damaged or do not match `texts` and the vocabulary.
    """

    def __init__(self, folder: Path, vocabulary: Mapping[str, int], texts: int) -> None:
        self._texts = texts
        self._terms = _load(folder, len(vocabulary), texts) if folder.exists() else None
        self._vocabulary = vocabulary if self._terms is not None else {}
        self.k1 = 0.0 if self._terms is None else self._terms.k1
        self.posting = lru_cache(KNOWN_TERMS)(self._posting)

    def scores(self, terms: Sequence[str]) -> np.ndarray:
        """Return the BM25 score of every text, (texts,) float32; zero if it contains none of the terms."""
        scores = np.zeros(self._texts, np.float32)
        for number in (self._vocabulary[term] for term in terms if term in self._vocabulary):
            texts, gains = self._at(number)
            np.add.at(scores, texts, gains)
        return scores

    def knows(self, term: str) -> bool:
        """Return whether the index contains `term`."""
        return term in self._vocabulary

    def most(self, terms: Sequence[str]) -> float:
        """Return an upper bound of the scores for `terms`: the sum of the idf of the known ones."""
        return sum([self.posting(term).idf for term in terms if term in self._vocabulary], 0.0)

    def _posting(self, term: str) -> Posting:
        """Return the posting of `term`, empty if unknown."""
        number = self._vocabulary.get(term)
        texts, gains = (np.empty(0, np.int32), np.empty(0, np.float32)) if number is None else self._at(number)
        return Posting(texts, gains, float(idf(self._texts, len(texts))))

    def _at(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        assert self._terms is not None
        low, high = self._terms.starts[number : number + 2]
        return self._terms.texts[low:high], self._terms.gains[low:high]


@dataclass(frozen=True, slots=True)
class _Terms:
    """The scores of all terms, grouped by term (CSC)."""

    starts: np.ndarray  # (terms + 1,)
    texts: np.ndarray  # (postings,) int32
    gains: np.ndarray  # (postings,) float32
    k1: float


def _load(folder: Path, terms: int, texts: int) -> _Terms:
    try:
        parameters = json.loads((folder / "params.index.json").read_text(encoding="utf-8"))
        k1, described = float(parameters["k1"]), parameters["num_docs"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"the term index in {str(folder)!r} cannot be read ({error}); run 'kohaku doctor'"
        raise StoreError(msg) from error
    starts, at, gains = (map_matrix(folder / f"{name}.csc.index.npy") for name in ("indptr", "indices", "data"))
    sizes = (described, len(starts), len(at), len(gains))
    last = int(starts[-1]) if len(starts) else 0
    if sizes != (texts, terms + 1, last, last):
        msg = f"the term index in {str(folder)!r} does not match {texts} texts and {terms} terms; run 'kohaku doctor'"
        raise StoreError(msg)
    return _Terms(starts, at, gains, k1)
