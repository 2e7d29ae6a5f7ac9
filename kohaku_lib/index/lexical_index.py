"""BM25 over sentences, paragraphs and whole documents: one index for each kind, with its own mean length."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from kohaku_lib.index.row_lookup import rows_of
from kohaku_lib.index.search_order import SEARCHED_KINDS, SearchOrder
from kohaku_lib.index.table_rows import TableRows, column_of
from kohaku_lib.settings import LexicalSettings

DOCUMENT = "document"


class LexicalIndex:
    """Scores of terms against all searched nodes, in the order of the main vector space, and against documents.

    The files are memory-mapped and never changed, so any number of threads may ask.
    """

    def __init__(self, folder: Path, counts: Sequence[int], documents: int) -> None:
        self.size, self.documents = sum(counts), documents
        self._of_documents = _load(folder / DOCUMENT) if (folder / DOCUMENT).exists() else None
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
            result[place] = _scores(index, terms, place.stop - place.start)
        return result

    def document_scores(self, terms: Sequence[str]) -> np.ndarray:
        """Return the BM25 score of every document, (documents,) float32, in the order in which the nodes have them."""
        return _scores(self._of_documents, terms, self.documents)


def write_lexical_index(
    folder: Path, order: SearchOrder, lexical: TableRows, document_of_row: np.ndarray, settings: LexicalSettings
) -> None:
    """Write BM25 (Lucene's form) over the terms of `lexical` (LEXICAL) beneath `folder`, one index per kind.

    The terms of a document are those of its paragraphs; `document_of_row` (searched,) numbers the documents.
    """
    folder.mkdir()
    tokens = _tokens_in_order(order, lexical)
    sentences, paragraphs = tokens[: order.sentences], tokens[order.sentences :]
    documents: list[list[str]] = [[] for _ in range(int(document_of_row.max(initial=-1)) + 1)]
    for document, terms in zip(document_of_row[order.sentences :].tolist(), paragraphs, strict=True):
        documents[document].extend(terms)
    for kind, texts in zip((*SEARCHED_KINDS, DOCUMENT), (sentences, paragraphs, documents), strict=True):
        _write(folder / kind, texts, settings)


def _tokens_in_order(order: SearchOrder, lexical: TableRows) -> list[list[str]]:
    searched = order.node_ids.slice(0, order.searched)
    rows = rows_of(searched, column_of(lexical, "node_id"))
    found = column_of(lexical, "tokens").take(pa.array(rows, mask=rows < 0))
    return [tokens or [] for tokens in found.to_pylist()]


def _scores(index: Any, terms: Sequence[str], size: int) -> np.ndarray:
    if index is None or not (ids := index.get_tokens_ids(list(terms))):
        return np.zeros(size, np.float32)
    return index.get_scores_from_ids(ids)


def _write(folder: Path, tokens: list[list[str]], settings: LexicalSettings) -> None:
    if not any(tokens):
        return
    import bm25s

    index = bm25s.BM25(method="lucene", k1=settings.k1, b=settings.b)
    index.index(tokens, show_progress=False)
    index.save(str(folder), show_progress=False)


def _load(folder: Path) -> Any:
    import bm25s

    index = bm25s.BM25.load(str(folder), mmap=True, show_progress=False)
    # A plain view of the mapped file: slicing numpy's memmap class itself costs more than adding up the scores.
    index.scores = {
        name: np.asarray(value) if isinstance(value, np.ndarray) else value for name, value in index.scores.items()
    }
    return index
