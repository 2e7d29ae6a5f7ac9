"""BM25 over texts of one kind, as bm25s keeps it: which texts hold a term, and what it gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kohaku_lib.index.title_field import Posting, idf_of
from kohaku_lib.lean_imports import bm25s_library

KNOWN_TERMS = 2**14  # whose postings are kept at hand: views of the mapped files, a few hundred bytes each


class TermIndex:
    """The index in `folder` over `texts` texts, memory-mapped; one that is missing holds no term. Threads may share it."""

    def __init__(self, folder: Path, vocabulary: Mapping[str, int], texts: int) -> None:
        self._texts = texts
        self._index = _load(folder, vocabulary) if folder.exists() else None
        self._vocabulary = vocabulary if self._index is not None else {}
        self.k1 = 0.0 if self._index is None else float(self._index.k1)
        self.posting = lru_cache(KNOWN_TERMS)(self._posting)

    def scores(self, terms: Sequence[str]) -> np.ndarray:
        """Return the BM25 score of every text, (texts,) float32; zero where it holds none of the terms."""
        if self._index is None or not (numbers := self._index.get_tokens_ids(list(terms))):
            return np.zeros(self._texts, np.float32)
        return self._index.get_scores_from_ids(numbers)

    def knows(self, term: str) -> bool:
        """Say whether `term` is one of the index."""
        return term in self._vocabulary

    def most(self, terms: Sequence[str]) -> float:
        """Return what no text can exceed for `terms`: the sum of the idf of the known ones."""
        return sum([self.posting(term).idf for term in terms if term in self._vocabulary], 0.0)

    def _posting(self, term: str) -> Posting:
        """Return where `term` stands; nowhere where it is unknown."""
        number = self._vocabulary.get(term)
        if self._index is None or number is None:
            return Posting(np.empty(0, np.int32), np.empty(0, np.float32), idf_of(self._texts, 0))
        low, high = self._index.scores["indptr"][number : number + 2]
        texts = self._index.scores["indices"][low:high]
        return Posting(texts, self._index.scores["data"][low:high], idf_of(self._texts, len(texts)))


def _load(folder: Path, vocabulary: Mapping[str, int]) -> Any:
    index = bm25s_library().BM25.load(str(folder), mmap=True, show_progress=False, load_vocab=False)
    index.vocab_dict = vocabulary
    # A plain view of the mapped file: slicing numpy's memmap class itself costs more than adding up the scores.
    index.scores = {
        name: np.asarray(value) if isinstance(value, np.ndarray) else value for name, value in index.scores.items()
    }
    return index
