"""Scores by the embedding model of the index, without an additional model."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import partial

import numpy as np

from kohaku_lib.digests import digest
from kohaku_lib.embedding import embed_queries, embed_texts, model_key
from kohaku_lib.errors import ModelError
from kohaku_lib.index.bm25.tokenising import terms_of
from kohaku_lib.retrieval.rerank.cached import cached
from kohaku_lib.retrieval.rerank.interface import RERANKERS, RerankDependencies, Reranker, RerankerKind
from kohaku_lib.retrieval.rerank.vector_cache import Embed, VectorCache
from kohaku_lib.settings import EmbeddingSettings, RerankSettings
from kohaku_lib.text.stems import stemmer_of
from kohaku_lib.text.tokens import tokens

# Chosen on the 809 training claims of SciFact, with no loss on WattBot, HotpotQA, MuSiQue and chunking-evaluation
# (benchmarks/refinement.py); parts of one and two neighbouring steps of the grid differ by less than 0.002 nDCG@10.
WHOLE, WORDS, FIGURES = 4 / 11, 6 / 11, 1 / 11
SIMILARITY_TAG = "embedding_similarity.v1"
LEAST_COSINE = 0.5  # minimum similarity of related words
_STEMMER = stemmer_of(None, "auto")  # the language of a snippet is unknown
_CACHED = 65_536  # vectors; 100 MB of 384 dimensions
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


def build_embedding_similarity(settings: RerankSettings, dependencies: RerankDependencies) -> Reranker:
    """Return the cached reranker by the embedding model; a model that cannot be loaded fails on first use."""
    embedding = dependencies.embedding
    reranker = embedding_similarity_reranker(embedding)
    try:
        return cached(reranker, dependencies.cache, digest([SIMILARITY_TAG, model_key(embedding), embedding.dim]))
    except ModelError:
        return reranker


class EmbeddingSimilarityReranker:
    """The similarity of a question and a text, by the vectors of `embed_query` and `embed`, both (n texts) to (n, dim).

    The score is 4/11 of the cosine between the question and the whole text (truncated to the model's input length),
    whereas the search compares averaged sentences; 6/11 of the share of the question's words with near synonyms in the
    text; and 1/11 of the share of the question's numbers in it. Terms counted by BM25 are excluded, so the score
    complements that of the ranking and does not replace it.

    >>> reranker = embedding_similarity_reranker(EmbeddingSettings())
    >>> query_words, texts = "Do tumours shrink?", ["The size of the cancer decreased.", "Oil prices fell."]
    >>> near, far = reranker.scores(query_words, texts, "q1")
    >>> near > far
    True
    """

    def __init__(self, embed_query: Embed, embed: Embed, name: str) -> None:
        self._questions, self._texts = (VectorCache(one, _CACHED) for one in (embed_query, embed))
        self._name = name

    @property
    def name(self) -> str:
        """The embedding model's name."""
        return f"embedding_similarity:{self._name}"

    def scores(self, query: str, texts: Sequence[str], question_id: str) -> list[float]:
        """Return the score of each text, from 0 to 1.

        Raises:
            ModelError: The model cannot be loaded.
        """
        if not texts:
            return []
        query_words, text_words = words_of(query), [words_of(text) for text in texts]
        words = distinct_words([query_words, *text_words])
        vectors = self._texts.of([*texts, *words])  # one call fills the batches
        row_of_word = {word: row for row, word in enumerate(words, len(texts))}
        cosines = np.clip(vectors[: len(texts)] @ self._questions.of([query])[0], 0.0, 1.0)
        coverages = [_coverage_of_text(query_words, one, vectors, row_of_word) for one in text_words]
        number_shares = [figures_held(query, text) for text in texts]
        return (WHOLE * cosines + WORDS * np.array(coverages) + FIGURES * np.array(number_shares)).tolist()


def embedding_similarity_reranker(settings: EmbeddingSettings) -> EmbeddingSimilarityReranker:
    """Return the reranker by the model of `settings`, which is loaded on first use."""
    questions, texts = partial(embed_queries, settings=settings), partial(embed_texts, settings=settings)
    return EmbeddingSimilarityReranker(questions, texts, settings.model)


@dataclass(frozen=True, slots=True)
class ContentWords:
    """The distinct words of a text, in order, and the BM25 terms of each."""

    words: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]


def words_of(text: str) -> ContentWords:
    """Return the content words of `text`: no stop words and no bare numbers.

    >>> words_of("The tumours of 12 mice: tumours grow.").words
    ('tumours', 'mice', 'grow')
    """
    words = dict.fromkeys(word for word in tokens(text) if any(map(str.isalpha, word)))
    terms = {word: terms_of(word, _STEMMER) for word in words}
    terms_by_word = {word: own for word, own in terms.items() if own}
    return ContentWords(tuple(terms_by_word), tuple(terms_by_word.values()))


def synonym_coverage(
    query_words: ContentWords, query_vectors: np.ndarray, text_terms: Set[tuple[str, ...]], text_vectors: np.ndarray
) -> float:
    """Return the share of the query words that a text lacks but has near synonyms of, from 0 to 1.

    `query_vectors` (query words, dim) and `text_vectors` (text words, dim) are L2-normalised vectors of single words. A
    word whose terms are among `text_terms` contributes 0, because BM25 counts it already; any other its largest cosine
    to a word of the text, scaled from 0 at 0.5 to 1 at 1. This is the late interaction of Khattab and Zaharia,
    "ColBERT" (2020), over words without context. Without words on either side it is 0.

    >>> query_words, vectors = words_of("tumour growth"), np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> round(synonym_coverage(query_words, vectors, {("cancer",)}, np.array([[0.8, 0.6]])), 2)
    0.4
    """
    if not len(query_words.words) or not len(text_vectors):
        return 0.0
    nearest = (query_vectors @ text_vectors.T).max(axis=1)
    is_missing = np.array([terms not in text_terms for terms in query_words.terms])
    similarity = np.clip((nearest - LEAST_COSINE) / (1.0 - LEAST_COSINE), 0.0, 1.0)
    return float((similarity * is_missing).sum() / len(query_words.words))


def distinct_words(texts: Sequence[ContentWords]) -> list[str]:
    """Return the words of all `texts`, each once, in the order of their first appearance."""
    return list(dict.fromkeys(word for one in texts for word in one.words))


def figures_held(query: str, text: str) -> float:
    """Return the share of the distinct numbers in `query` that `text` contains, 0 if the query has none.

    >>> figures_held("From 1,024 GPUs in 2023 to 16.5?", "In 2023 there were 1024 of them.")
    0.6666666666666666
    """
    query_numbers = _numbers_in(query)
    return len(query_numbers & _numbers_in(text)) / len(query_numbers) if query_numbers else 0.0


def _coverage_of_text(
    query_words: ContentWords, text_words: ContentWords, vectors: np.ndarray, row_of_word: dict[str, int]
) -> float:
    query_rows, text_rows = ([row_of_word[word] for word in one.words] for one in (query_words, text_words))
    return synonym_coverage(query_words, vectors[query_rows], set(text_words.terms), vectors[text_rows])


def _numbers_in(text: str) -> set[str]:
    return {number.replace(",", "") for number in _FIGURE.findall(text)}


RERANKERS.register(
    RerankerKind(
        "embedding_similarity",
        build_embedding_similarity,
        in_auto=False,
        weight=0.35,  # chosen with its parts on SciFact, see benchmarks/refinement.py
        order=4,
    )
)
