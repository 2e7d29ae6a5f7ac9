"""BM25 over the searched nodes: one index for sentences and one for paragraphs, each with its own mean length."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from kohaku_lib.index.row_lookup import rows_of
from kohaku_lib.index.search_order import SEARCHED_KINDS, SearchOrder
from kohaku_lib.settings import LexicalSettings


class LexicalIndex:
    """Scores of terms against all searched nodes, in the order of the main vector space.

    The files are memory-mapped and never changed, so any number of threads may ask.
    """

    def __init__(self, folder: Path, counts: Sequence[int]) -> None:
        self.size = sum(counts)
        starts = np.cumsum([0, *counts[:-1]])
        self._parts = [
            (slice(int(start), int(start) + count), _load(folder / kind))
            for kind, start, count in zip(SEARCHED_KINDS, starts, counts, strict=True)
            if (folder / kind).exists()
        ]

    def scores(self, terms: Sequence[str]) -> np.ndarray:
        """Return the BM25 score of every searched node, (size,) float32; zero where it holds none of the terms."""
        result = np.zeros(self.size, np.float32)
        for place, index in self._parts:
            ids = index.get_tokens_ids(list(terms))
            if ids:
                result[place] = index.get_scores_from_ids(ids)
        return result


def write_lexical_index(folder: Path, order: SearchOrder, lexical: pa.Table, settings: LexicalSettings) -> None:
    """Write BM25 (Lucene's form) over the terms of `lexical` (LEXICAL) beneath `folder`, one index per kind."""
    folder.mkdir()
    counts = (order.sentences, order.paragraphs)
    tokens = _tokens_in_order(order, lexical)
    start = 0
    for kind, count in zip(SEARCHED_KINDS, counts, strict=True):
        _write(folder / kind, tokens[start : start + count], settings)
        start += count


def _tokens_in_order(order: SearchOrder, lexical: pa.Table) -> list[list[str]]:
    searched = order.node_ids.slice(0, order.searched)
    rows = rows_of(searched, lexical.column("node_id"))
    found = lexical.column("tokens").take(pa.array(rows, mask=rows < 0))
    return [tokens or [] for tokens in found.to_pylist()]


def _write(folder: Path, tokens: list[list[str]], settings: LexicalSettings) -> None:
    if not any(tokens):
        return
    import bm25s

    index = bm25s.BM25(method="lucene", k1=settings.k1, b=settings.b)
    index.index(tokens, show_progress=False)
    index.save(str(folder), show_progress=False)


def _load(folder: Path):  # noqa: ANN202 - bm25s is imported late
    import bm25s

    index = bm25s.BM25.load(str(folder), mmap=True, show_progress=False)
    # A plain view of the mapped file: slicing numpy's memmap class itself costs more than adding up the scores.
    index.scores = {
        name: np.asarray(value) if isinstance(value, np.ndarray) else value for name, value in index.scores.items()
    }
    return index
