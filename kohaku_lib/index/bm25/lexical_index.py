"""BM25 over sentences, paragraphs and whole documents: one index per kind, with its own mean length.

Titles and headings are indexed separately, so that a search may count the words of a document's title and id, and those
of a section's headings, as part of its texts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index.bm25.field_gains import FieldGain, add_fields, field_gain
from kohaku_lib.index.bm25.index_building import Postings, TermNumbers
from kohaku_lib.index.bm25.term_index import TermIndex
from kohaku_lib.index.bm25.tokenising import stemmed_terms, terms_of, tokenise
from kohaku_lib.index.byte_limited_cache import ByteLimitedCache
from kohaku_lib.index.rows.row_lookup import RowLookup, hashes_in
from kohaku_lib.index.rows.table_rows import BATCH_ROWS, TableRows
from kohaku_lib.index.vectors.search_order import SEARCHED_KINDS, SearchOrder
from kohaku_lib.settings import LexicalSettings
from kohaku_lib.text.stems import AUTO, USUAL
from kohaku_lib.text.tokens import tokens

DOCUMENT, TITLE, HEADING = "document", "title", "heading"
VOCABULARY, STEMMERS = "vocabulary.json", "stemmers.json"
GAINS_BYTES = 2**26  # of cached gains of titles and headings, by query term


class FieldWeights(NamedTuple):
    """The occurrences in a text that a term counts as which is in its document's title or id, or in its headings."""

    title: float = 0.0
    heading: float = 0.0


NO_FIELDS = FieldWeights()


class LexicalIndex:
    """BM25 scores of all searched nodes, in the order of the main vector space, and of documents.

    The files are memory-mapped and immutable, so the index is thread-safe.
    """

    def __init__(
        self, folder: Path, counts: Sequence[int], document_of_row: np.ndarray, section_of_row: np.ndarray
    ) -> None:
        self.size, self.documents = sum(counts), int(document_of_row.max(initial=-1)) + 1
        self._document_of_section = np.zeros(int(section_of_row.max(initial=-1)) + 1, np.int32)
        self._document_of_section[section_of_row] = document_of_row
        vocabulary = json.loads((folder / VOCABULARY).read_text(encoding="utf-8"))
        self.languages = QueryLanguages(_stemmers_in(folder), self.knows)
        self._of_documents, self._of_titles = (
            TermIndex(folder / kind, vocabulary, self.documents) for kind in (DOCUMENT, TITLE)
        )
        self._of_headings = TermIndex(folder / HEADING, vocabulary, len(self._document_of_section))
        self._gains: ByteLimitedCache[FieldGain] = ByteLimitedCache(GAINS_BYTES)
        starts = np.cumsum([0, *counts[:-1]])
        places = [slice(int(start), int(start) + count) for start, count in zip(starts, counts, strict=True)]
        self._parts = [
            _Part(place, TermIndex(folder / kind, vocabulary, place.stop - place.start), section_of_row[place])
            for kind, place in zip(SEARCHED_KINDS, places, strict=True)
        ]

    def terms(self, query: str, settings: LexicalSettings) -> list[str]:
        """Return the terms of `query`; with `stemmer = "auto"` in the language that covers most of its words."""
        if settings.stemmer != AUTO:
            return tokenise(query, settings)
        return self.languages.terms(query)

    def scores(self, terms: Sequence[str], weights: FieldWeights = NO_FIELDS) -> np.ndarray:
        """Return the BM25 score of every searched node, (size,) float32; zero if it contains none of the terms.

        A term in the title or the id of a node's document, or in the headings of its section, counts as `weights`
        further occurrences in a node of mean length, within the saturation: BM25F with the idf of the texts (Robertson,
        Zaragoza and Taylor, 2004).
        """
        return np.concatenate([self._part_scores(part, terms, weights) for part in self._parts])

    def paragraph_scores(self, terms: Sequence[str], weights: FieldWeights = NO_FIELDS) -> np.ndarray:
        """Return the BM25 score of every searched paragraph, (paragraphs,) float32, see `scores`."""
        return self._part_scores(self._parts[-1], terms, weights)

    def _part_scores(self, part: _Part, terms: Sequence[str], weights: FieldWeights) -> np.ndarray:
        scores = part.index.scores(terms)
        counts = Counter(terms) if any(weights) else {}
        gains = [(times, self._field_gain(part, term, weights)) for term, times in counts.items()]
        if gains := [(times, gain) for times, gain in gains if len(gain.sections)]:
            add_fields(scores, gains, part.section_of_text, len(self._document_of_section))
        return scores

    def _field_gain(self, part: _Part, term: str, weights: FieldWeights) -> FieldGain:
        def compute() -> FieldGain:
            occurrences = np.zeros(len(self._document_of_section))
            titled = self._of_titles.posting(term).texts if weights.title else ()
            if len(titled):
                occurrences[np.isin(self._document_of_section, titled)] = weights.title
            if weights.heading:
                occurrences[self._of_headings.posting(term).texts] += weights.heading
            return field_gain(part.index.posting(term), occurrences, part.section_of_text, part.index.k1)

        return self._gains.get((part.place.start, part.place.stop, term, *weights), compute)

    def most(self, terms: Sequence[str]) -> tuple[float, ...]:
        """Return upper bounds of the scores of sentences and of paragraphs for `terms`: the sum of their idf."""
        return tuple(part.index.most(terms) for part in self._parts)

    def knows(self, term: str) -> bool:
        """Return whether any searched node contains `term`."""
        return any(part.index.knows(term) for part in self._parts)

    def document_scores(self, terms: Sequence[str]) -> np.ndarray:
        """Return the BM25 score of every document, (documents,) float32, in the order of the nodes."""
        return self._of_documents.scores(terms)


TextPostings = tuple[Postings, np.ndarray]  # with the row of each text in the table of terms


@dataclass(frozen=True, slots=True)
class NodeFields:
    """The documents and the sections of the searched nodes, with the texts of their fields and the stemmers of these."""

    document_of_row: np.ndarray  # (searched,) document number
    titles: Sequence[tuple[str, str]]  # by document
    section_of_row: np.ndarray  # (searched,) section number
    headings: Sequence[tuple[str, str]]  # by section


def write_lexical_index(
    folder: Path,
    order: SearchOrder,
    lexical: TableRows,
    nodes: RowLookup,
    fields: NodeFields,
    settings: LexicalSettings,
    also: Callable[[TermNumbers, Sequence[TextPostings]], object] = lambda vocabulary, kinds: None,
) -> None:
    """Write BM25 (Lucene's form) over the terms of `lexical` (LEXICAL) below `folder`, one index per kind.

    The terms of a document are those of its paragraphs. Rows of a document must be consecutive, as only a few documents
    are in memory at a time.

    Args:
        folder: created by this call.
        order: the rows of the main vector space.
        lexical: terms by node id.
        nodes: row lookup by node id.
        fields: titles and headings of the searched nodes.
        settings: BM25 parameters.
        also: called with the vocabulary and the postings of sentences and paragraphs before these are deleted.
    """
    folder.mkdir()
    batches = lexical.select(["node_id"]).batches()
    places = np.concatenate([order.place_of_node[nodes.rows(hashes_in(batch.column(0)))] for batch in batches])
    document_of_row = fields.document_of_row
    count = int(document_of_row.max(initial=-1)) + 1
    sections = int(fields.section_of_row.max(initial=-1)) + 1
    kinds = (*SEARCHED_KINDS, DOCUMENT, TITLE, HEADING)
    vocabulary, token_rows = TermNumbers(), lexical.select(["tokens"])
    with ExitStack() as stack:
        writers = [
            stack.enter_context(Postings(folder / f"{kind}.postings", size))
            for kind, size in zip(kinds, (order.sentences, order.paragraphs, count, count, sections), strict=True)
        ]
        for low, high in _document_ranges(document_of_row[places]):
            tokens = token_rows.rows(low, high - low).column("tokens").combine_chunks()
            texts = np.repeat(places[low:high], pc.call_function("list_value_length", [tokens]).to_numpy())
            terms = vocabulary.numbers(tokens.flatten())
            in_paragraph = texts >= order.sentences
            writers[0].add(texts[~in_paragraph], terms[~in_paragraph])
            writers[1].add(texts[in_paragraph] - order.sentences, terms[in_paragraph])
            writers[2].add(document_of_row[texts[in_paragraph]], terms[in_paragraph])
        for writer, texts in ((writers[3], fields.titles[:count]), (writers[4], fields.headings[:sections])):
            of_texts = [stemmed_terms(text, stemmer) for text, stemmer in texts]
            writer.add(
                np.repeat(np.arange(len(texts)), list(map(len, of_texts))),
                vocabulary.numbers(pa.array(chain.from_iterable(of_texts), pa.string())),
            )
        for kind, postings in zip(kinds, writers, strict=True):
            if len(postings):
                postings.save(folder / kind, len(vocabulary), settings)
        rows = np.empty(order.searched, np.int32)
        rows[places] = np.arange(len(places), dtype=np.int32)
        also(vocabulary, [(writers[0], rows[: order.sentences]), (writers[1], rows[order.sentences :])])
    stemmers = [stemmer for stemmer, _ in Counter(stemmer for _, stemmer in fields.titles).most_common()]
    (folder / STEMMERS).write_text(json.dumps(stemmers or [USUAL]), encoding="utf-8")
    vocabulary.save(folder / VOCABULARY)


@dataclass(frozen=True, slots=True)
class _Part:
    """The searched nodes of one kind."""

    place: slice  # within all searched nodes
    index: TermIndex
    section_of_text: np.ndarray  # (texts,)


def _stemmers_in(folder: Path) -> list[str]:
    """Return the stemmers used by an index, most documents first."""
    path = folder / STEMMERS
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else [USUAL]


def _document_ranges(documents: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield ranges of about 16,384 rows that split no document."""
    ends = np.append(np.flatnonzero(np.diff(documents)) + 1, len(documents))
    low = 0
    while low < len(documents):
        later = ends[ends >= min(low + BATCH_ROWS, len(documents))]
        yield low, int(later[0])
        low = int(later[0])


class QueryLanguages:
    """Chooses the stemmer of a query among those of an index, ordered by number of documents."""

    def __init__(self, stemmers: Sequence[str], knows: Callable[[str], bool]) -> None:
        self.stemmers, self._knows = tuple(stemmers), knows

    def terms(self, query: str) -> list[str]:
        """Return the terms of `query` under the stemmer whose stop words and indexed stems cover most of its words.

        Queries are too short for language detection, and keywords alone contain no stop words. Ties go to the stemmer of more
        documents.

        >>> QueryLanguages(["english", "german"], {"cat", "katz"}.__contains__).terms("Wo schlafen die Katzen?")
        ['schlaf', 'katz']
        """
        words = tokens(query)
        read = [[terms_of(word, stemmer) for word in words] for stemmer in self.stemmers]
        best = read[0] if len(read) == 1 else max(read, key=self._covered)
        return [term for terms in best for term in terms]

    def _covered(self, read: Sequence[tuple[str, ...]]) -> int:
        """Return how many words are stop words, which have no terms, or have all their terms in the index."""
        return sum(all(map(self._knows, terms)) for terms in read)
