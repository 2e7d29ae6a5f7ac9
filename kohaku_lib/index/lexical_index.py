"""BM25 over sentences, paragraphs and whole documents: one index for each kind, with its own mean length.

Titles are kept apart, so that a search may count the words of a document's title and id among those of its texts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index.lexical import tokenise
from kohaku_lib.index.postings import Postings, Vocabulary
from kohaku_lib.index.row_lookup import rows_of
from kohaku_lib.index.search_order import SEARCHED_KINDS, SearchOrder
from kohaku_lib.index.table_rows import BATCH_ROWS, TableRows, column_of
from kohaku_lib.index.title_field import Posting, add_titles, sum_of_idf
from kohaku_lib.settings import LexicalSettings

DOCUMENT, TITLE, VOCABULARY = "document", "title", "vocabulary.json"


class LexicalIndex:
    """Scores of terms against all searched nodes, in the order of the main vector space, and against documents.

    The files are memory-mapped and never changed, so any number of threads may ask.
    """

    def __init__(self, folder: Path, counts: Sequence[int], document_of_row: np.ndarray) -> None:
        self.size, self.documents = sum(counts), int(document_of_row.max(initial=-1)) + 1
        self._document_of_row = document_of_row
        vocabulary = json.loads((folder / VOCABULARY).read_text(encoding="utf-8"))
        self._of_documents, self._of_titles = (
            _load(folder / kind, vocabulary) if (folder / kind).exists() else None for kind in (DOCUMENT, TITLE)
        )
        starts = np.cumsum([0, *counts[:-1]])
        self._parts = {
            kind: (slice(int(start), int(start) + count), _load(folder / kind, vocabulary))
            for kind, start, count in zip(SEARCHED_KINDS, starts, counts, strict=True)
            if (folder / kind).exists()
        }

    def scores(self, terms: Sequence[str], title_weight: float = 0.0) -> np.ndarray:
        """Return the BM25 score of every searched node, (size,) float32; zero where it holds none of the terms.

        A term in the title or the id of a node's document counts as `title_weight` further occurrences in a node of
        mean length, within the saturation: BM25F with the idf of the texts (Robertson, Zaragoza and Taylor, 2004).
        """
        result = np.zeros(self.size, np.float32)
        for place, index in self._parts.values():
            own = _scores(index, terms, place.stop - place.start)
            if title_weight:
                self._add_titles(own, index, terms, self._document_of_row[place], title_weight)
            result[place] = own
        return result

    def _add_titles(
        self, scores: np.ndarray, index: Any, terms: Sequence[str], document_of_row: np.ndarray, title_weight: float
    ) -> None:
        asked = Counter(terms)
        in_titles = {term: _posting(self._of_titles, term) for term in asked}
        titled = {term: posting for term, posting in in_titles.items() if len(posting.texts)}
        if titled:
            in_texts = {term: _posting(index, term) for term in titled}
            add_titles(scores, in_texts, titled, asked, document_of_row, (title_weight, index.k1))

    def most(self, terms: Sequence[str]) -> tuple[float, ...]:
        """Return the score that no sentence and no paragraph can exceed for `terms`: the sum of their idf."""
        return tuple(self._most_of(kind, terms) for kind in SEARCHED_KINDS)

    def _most_of(self, kind: str, terms: Sequence[str]) -> float:
        if kind not in self._parts:
            return 0.0
        place, index = self._parts[kind]
        known = [term for term in terms if term in index.vocab_dict]
        return sum_of_idf(place.stop - place.start, [len(_posting(index, term).texts) for term in known])

    def knows(self, term: str) -> bool:
        """Say whether any searched node holds `term`."""
        return any(term in index.vocab_dict for _, index in self._parts.values())

    def document_scores(self, terms: Sequence[str]) -> np.ndarray:
        """Return the BM25 score of every document, (documents,) float32, in the order in which the nodes have them."""
        return _scores(self._of_documents, terms, self.documents)


def write_lexical_index(
    folder: Path,
    order: SearchOrder,
    lexical: TableRows,
    document_of_row: np.ndarray,
    titles: Sequence[str],
    settings: LexicalSettings,
) -> None:
    """Write BM25 (Lucene's form) over the terms of `lexical` (LEXICAL) beneath `folder`, one index per kind.

    The terms of a document are those of its paragraphs; `document_of_row` (searched,) numbers the documents, whose
    `titles` may hold more than a title. The rows of a document must stand together; those of a few documents are held
    at once.
    """
    folder.mkdir()
    searched = order.node_ids.slice(0, order.searched)
    places = rows_of(column_of(lexical, "node_id"), searched)
    documents = int(document_of_row.max(initial=-1)) + 1
    vocabulary = Vocabulary()
    with ExitStack() as stack:
        kept = [
            stack.enter_context(Postings(folder / f"{kind}.postings", size))
            for kind, size in zip(
                (*SEARCHED_KINDS, DOCUMENT, TITLE),
                (order.sentences, order.paragraphs, documents, documents),
                strict=True,
            )
        ]
        for low, high in _documents_together(document_of_row[places]):
            tokens = lexical.select(["tokens"]).rows(low, high - low).column("tokens").combine_chunks()
            texts = np.repeat(places[low:high], pc.call_function("list_value_length", [tokens]).to_numpy())
            terms = vocabulary.numbers(tokens.flatten())
            in_paragraph = texts >= order.sentences
            kept[0].add(texts[~in_paragraph], terms[~in_paragraph])
            kept[1].add(texts[in_paragraph] - order.sentences, terms[in_paragraph])
            kept[2].add(document_of_row[texts[in_paragraph]], terms[in_paragraph])
        in_titles = [tokenise(title, settings) for title in titles[:documents]]
        kept[3].add(
            np.repeat(np.arange(documents), list(map(len, in_titles))),
            vocabulary.numbers(pa.array(chain.from_iterable(in_titles), pa.string())),
        )
        for kind, postings in zip((*SEARCHED_KINDS, DOCUMENT, TITLE), kept, strict=True):
            if len(postings):
                postings.save(folder / kind, len(vocabulary.number_of), settings)
    (folder / VOCABULARY).write_text(json.dumps(vocabulary.number_of, ensure_ascii=False), encoding="utf-8")


def _documents_together(documents: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield ranges of about 16,384 rows that part no document."""
    ends = np.append(np.flatnonzero(np.diff(documents)) + 1, len(documents))
    low = 0
    while low < len(documents):
        later = ends[ends >= min(low + BATCH_ROWS, len(documents))]
        yield low, int(later[0])
        low = int(later[0])


def _scores(index: Any, terms: Sequence[str], size: int) -> np.ndarray:
    if index is None or not (ids := index.get_tokens_ids(list(terms))):
        return np.zeros(size, np.float32)
    return index.get_scores_from_ids(ids)


def _posting(index: Any, term: str) -> Posting:
    if index is None or (number := index.vocab_dict.get(term)) is None:
        return Posting(np.empty(0, np.int32), np.empty(0, np.float32))
    low, high = index.scores["indptr"][number : number + 2]
    return Posting(index.scores["indices"][low:high], index.scores["data"][low:high])


def _load(folder: Path, vocabulary: dict[str, int]) -> Any:
    import bm25s

    index = bm25s.BM25.load(str(folder), mmap=True, show_progress=False, load_vocab=False)
    index.vocab_dict = vocabulary
    # A plain view of the mapped file: slicing numpy's memmap class itself costs more than adding up the scores.
    index.scores = {
        name: np.asarray(value) if isinstance(value, np.ndarray) else value for name, value in index.scores.items()
    }
    return index
