"""The share of a question's words for which a text contains near synonyms."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from kohaku_lib.index.bm25.lexical import terms_of
from kohaku_lib.text.stems import stemmer_of
from kohaku_lib.text.tokens import tokens

LEAST_COSINE = 0.5  # minimum similarity of related words
_STEMMER = stemmer_of(None, "auto")  # the language of a snippet is unknown


@dataclass(frozen=True, slots=True)
class Words:
    """The distinct words of a text, in order, and the BM25 terms of each."""

    words: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]


def words_of(text: str) -> Words:
    """Return the content words of `text`: no stop words and no bare numbers.

    >>> words_of("The tumours of 12 mice: tumours grow.").words
    ('tumours', 'mice', 'grow')
    """
    words = dict.fromkeys(word for word in tokens(text) if any(map(str.isalpha, word)))
    terms = {word: terms_of(word, _STEMMER) for word in words}
    known = {word: own for word, own in terms.items() if own}
    return Words(tuple(known), tuple(known.values()))


def synonym_coverage(
    asked: Words, query_vectors: np.ndarray, text_terms: Set[tuple[str, ...]], text_vectors: np.ndarray
) -> float:
    """Return the share of the query words that a text lacks but has near synonyms of, from 0 to 1.

    `query_vectors` (query words, dim) and `text_vectors` (text words, dim) are L2-normalised vectors of single words. A
    word whose terms are among `text_terms` contributes 0, because BM25 counts it already; any other its largest cosine
    to a word of the text, scaled from 0 at 0.5 to 1 at 1. This is the late interaction of Khattab and Zaharia,
    "ColBERT" (2020), over words without context. Without words on either side it is 0.

    >>> asked, vectors = words_of("tumour growth"), np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> round(synonym_coverage(asked, vectors, {("cancer",)}, np.array([[0.8, 0.6]])), 2)
    0.4
    """
    if not len(asked.words) or not len(text_vectors):
        return 0.0
    nearest = (query_vectors @ text_vectors.T).max(axis=1)
    is_missing = np.array([terms not in text_terms for terms in asked.terms])
    similarity = np.clip((nearest - LEAST_COSINE) / (1.0 - LEAST_COSINE), 0.0, 1.0)
    return float((similarity * is_missing).sum() / len(asked.words))


def distinct_words(texts: Sequence[Words]) -> list[str]:
    """Return the words of all `texts`, each once, in the order of their first appearance."""
    return list(dict.fromkeys(word for one in texts for word in one.words))
