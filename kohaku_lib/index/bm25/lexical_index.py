"""BM25 over sentences, paragraphs and whole documents: one index for each kind, with its own mean length.

Titles are kept apart, so that a search may count the words of a document's title and id among those of its texts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index.bm25.lexical import stemmed_terms, terms_of, tokenise, tokens
from kohaku_lib.index.bm25.postings import Postings, Vocabulary
from kohaku_lib.index.bm25.term_index import TermIndex
from kohaku_lib.index.bm25.title_field import TitleGain, add_titles, title_gain
from kohaku_lib.index.byte_limited_cache import ByteLimitedCache
from kohaku_lib.index.rows.row_lookup import RowLookup, marks_in
from kohaku_lib.index.rows.table_rows import BATCH_ROWS, TableRows
from kohaku_lib.index.vectors.search_order import SEARCHED_KINDS, SearchOrder
from kohaku_lib.settings import LexicalSettings
from kohaku_lib.text.stems import AUTO, USUAL

DOCUMENT, TITLE, VOCABULARY, STEMMERS = "document", "title", "vocabulary.json", "stemmers.json"
GAINS_BYTES = 2**26  # of what titles add, kept for the next query that has the same word


class LexicalIndex:
    """Scores of terms against all searched nodes, in the order of the main vector space, and against documents.

    The files are memory-mapped and never changed, so any number of threads may ask.
    """

    def __init__(self, folder: Path, counts: Sequence[int], document_of_row: np.ndarray) -> None:
        self.size, self.documents = sum(counts), int(document_of_row.max(initial=-1)) + 1
        vocabulary = json.loads((folder / VOCABULARY).read_text(encoding="utf-8"))
        self.languages = QueryLanguages(_stemmers_in(folder), self.knows)
        self._of_documents, self._of_titles = (
            TermIndex(folder / kind, vocabulary, self.documents) for kind in (DOCUMENT, TITLE)
        )
        self._gains: ByteLimitedCache[TitleGain] = ByteLimitedCache(GAINS_BYTES)
        starts = np.cumsum([0, *counts[:-1]])
        places = [slice(int(start), int(start) + count) for start, count in zip(starts, counts, strict=True)]
        self._parts = [
            _Part(place, TermIndex(folder / kind, vocabulary, place.stop - place.start), document_of_row[place])
            for kind, place in zip(SEARCHED_KINDS, places, strict=True)
        ]

    def terms(self, query: str, settings: LexicalSettings) -> list[str]:
        """Return the terms of `query`; where the setting leaves it open, in the language that knows most of its words."""
        if settings.stemmer != AUTO:
            return tokenise(query, settings)
        return self.languages.terms(query)

    def scores(self, terms: Sequence[str], title_weight: float = 0.0) -> np.ndarray:
        """Return the BM25 score of every searched node, (size,) float32; zero where it holds none of the terms.

        A term in the title or the id of a node's document counts as `title_weight` further occurrences in a node of
        mean length, within the saturation: BM25F with the idf of the texts (Robertson, Zaragoza and Taylor, 2004).
        """
        result = np.empty(self.size, np.float32)
        asked = Counter(terms) if title_weight else {}
        for part in self._parts:
            own = part.index.scores(terms)
            gains = [(times, self._gain(part, term, title_weight)) for term, times in asked.items()]
            if gains := [(times, gain) for times, gain in gains if len(gain.documents)]:
                add_titles(own, gains, part.document_of_text, self.documents)
            result[part.place] = own
        return result

    def _gain(self, part: _Part, term: str, title_weight: float) -> TitleGain:
        def compute() -> TitleGain:
            titled = self._of_titles.posting(term).texts
            weights = (title_weight, part.index.k1)
            return title_gain(part.index.posting(term), titled, part.document_of_text, weights)

        return self._gains.get((part.place.start, part.place.stop, term, title_weight), compute)

    def most(self, terms: Sequence[str]) -> tuple[float, ...]:
        """Return the score that no sentence and no paragraph can exceed for `terms`: the sum of their idf."""
        return tuple(part.index.most(terms) for part in self._parts)

    def knows(self, term: str) -> bool:
        """Say whether any searched node holds `term`."""
        return any(part.index.knows(term) for part in self._parts)

    def document_scores(self, terms: Sequence[str]) -> np.ndarray:
        """Return the BM25 score of every document, (documents,) float32, in the order in which the nodes have them."""
        return self._of_documents.scores(terms)


TextPostings = tuple[Postings, np.ndarray]  # with the row of each text in the table of terms


@dataclass(frozen=True, slots=True)
class TitledDocuments:
    """The documents of the searched nodes, and their titles, which may hold more than a title."""

    of_row: np.ndarray  # (searched,) the number of its document
    titles: Sequence[tuple[str, str]]  # each with the stemmer of its document


def write_lexical_index(
    folder: Path,
    order: SearchOrder,
    lexical: TableRows,
    nodes: RowLookup,
    documents: TitledDocuments,
    settings: LexicalSettings,
    also: Callable[[Vocabulary, Sequence[TextPostings]], object] = lambda vocabulary, kinds: None,
) -> None:
    """Write BM25 (Lucene's form) over the terms of `lexical` (LEXICAL) beneath `folder`, one index per kind.

    `nodes` finds the nodes of the texts. The terms of a document are those of its paragraphs. The rows of a document
    must stand together; those of a few documents are held at once. `also` is given the terms and the postings of
    sentences and of paragraphs as long as they are there.
    """
    folder.mkdir()
    batches = lexical.select(["node_id"]).batches()
    places = np.concatenate([order.place_of_node[nodes.rows(marks_in(batch.column(0)))] for batch in batches])
    document_of_row, titles = documents.of_row, documents.titles
    count = int(document_of_row.max(initial=-1)) + 1
    vocabulary, said = Vocabulary(), lexical.select(["tokens"])
    with ExitStack() as stack:
        kept = [
            stack.enter_context(Postings(folder / f"{kind}.postings", size))
            for kind, size in zip(
                (*SEARCHED_KINDS, DOCUMENT, TITLE),
                (order.sentences, order.paragraphs, count, count),
                strict=True,
            )
        ]
        for low, high in _documents_together(document_of_row[places]):
            tokens = said.rows(low, high - low).column("tokens").combine_chunks()
            texts = np.repeat(places[low:high], pc.call_function("list_value_length", [tokens]).to_numpy())
            terms = vocabulary.numbers(tokens.flatten())
            in_paragraph = texts >= order.sentences
            kept[0].add(texts[~in_paragraph], terms[~in_paragraph])
            kept[1].add(texts[in_paragraph] - order.sentences, terms[in_paragraph])
            kept[2].add(document_of_row[texts[in_paragraph]], terms[in_paragraph])
        in_titles = [stemmed_terms(title, stemmer) for title, stemmer in titles[:count]]
        kept[3].add(
            np.repeat(np.arange(count), list(map(len, in_titles))),
            vocabulary.numbers(pa.array(chain.from_iterable(in_titles), pa.string())),
        )
        for kind, postings in zip((*SEARCHED_KINDS, DOCUMENT, TITLE), kept, strict=True):
            if len(postings):
                postings.save(folder / kind, len(vocabulary), settings)
        rows = np.empty(order.searched, np.int32)
        rows[places] = np.arange(len(places), dtype=np.int32)
        also(vocabulary, [(kept[0], rows[: order.sentences]), (kept[1], rows[order.sentences :])])
    stemmers = [stemmer for stemmer, _ in Counter(stemmer for _, stemmer in titles).most_common()]
    (folder / STEMMERS).write_text(json.dumps(stemmers or [USUAL]), encoding="utf-8")
    vocabulary.save(folder / VOCABULARY)


@dataclass(frozen=True, slots=True)
class _Part:
    """The searched nodes of one kind."""

    place: slice  # among all of them
    index: TermIndex
    document_of_text: np.ndarray  # (texts,)


def _stemmers_in(folder: Path) -> list[str]:
    """Return the stemmers that the texts of an index were made by, those of most documents first."""
    path = folder / STEMMERS
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else [USUAL]


def _documents_together(documents: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield ranges of about 16,384 rows that part no document."""
    ends = np.append(np.flatnonzero(np.diff(documents)) + 1, len(documents))
    low = 0
    while low < len(documents):
        later = ends[ends >= min(low + BATCH_ROWS, len(documents))]
        yield low, int(later[0])
        low = int(later[0])


class QueryLanguages:
    """The stemmers of an index, those of most documents first, and whether its texts know a term."""

    def __init__(self, stemmers: Sequence[str], knows: Callable[[str], bool]) -> None:
        self.stemmers, self._knows = tuple(stemmers), knows

    def terms(self, query: str) -> list[str]:
        """Return the terms of `query` by the stemmer whose stop words and known stems cover most of its words.

        A question is too short for what tells the language of a document, and its key words alone have no small words.
        Of stemmers that cover as many words that of most documents counts.

        >>> QueryLanguages(["english", "german"], {"cat", "katz"}.__contains__).terms("Wo schlafen die Katzen?")
        ['schlaf', 'katz']
        """
        words = tokens(query)
        read = [[terms_of(word, stemmer) for word in words] for stemmer in self.stemmers]
        best = read[0] if len(read) == 1 else max(read, key=self._covered)
        return [term for terms in best for term in terms]

    def _covered(self, read: Sequence[tuple[str, ...]]) -> int:
        """Return how many words are stop words, which have no terms, or known to the index as a whole."""
        return sum(all(map(self._knows, terms)) for terms in read)
