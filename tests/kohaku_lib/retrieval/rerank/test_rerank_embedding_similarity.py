"""The reranker that needs no download: like words, whole texts, figures; what it keeps, what it is mixed with."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.errors import ModelError
from kohaku_lib.retrieval.rerank import RERANK_CACHE_SCHEMA, RerankDependencies, build_rerankers, rerank, rerank_share
from kohaku_lib.retrieval.rerank.cached import CachedReranker
from kohaku_lib.retrieval.rerank.embedding_similarity import (
    FIGURES,
    WHOLE,
    WORDS,
    EmbeddingSimilarityReranker,
    distinct_words,
    embedding_similarity_reranker,
    figures_held,
    synonym_coverage,
    words_of,
)
from kohaku_lib.retrieval.rerank.vector_cache import VectorCache
from kohaku_lib.settings import EmbeddingSettings, RerankSettings
from kohaku_lib.storage import RowCache

QUERY = "How fast do tumours shrink in 12 mice?"
TEXTS = [
    "The carcinoma of the 12 rodents grew smaller.",
    "Tumours shrink in 12 mice.",
    "The price of oil rose.",
    "A judge read the law to the court.",
]
VECTORS = {"tumours": [1.0, 0.0, 0.0], "cancer": [0.8, 0.6, 0.0], "oil": [0.0, 0.0, 1.0], "prices": [0.0, 0.6, 0.8]}
ANYTHING = [0.6, 0.8, 0.0]


def table_vectors(texts):
    return np.array([VECTORS.get(text, ANYTHING) for text in texts])


class Recording:
    """Vectors by length; it keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        self.asked.append(list(texts))
        return np.array([[len(text), 1.0] for text in texts], np.float32)


# words


def test_stop_words_and_bare_numbers_are_no_words_and_each_word_stands_once():
    found = words_of("The cats of 2023 and the CATS with GPT-3, 12 of them.")
    assert found.words == ("cats", "gpt-3")
    assert found.terms == (("cat",), ("gpt-3", "gpt", "3"))
    assert words_of("of 12 and").words == ()


def test_the_words_of_several_texts_stand_in_the_order_of_their_first_appearance():
    assert distinct_words([words_of("cats purr"), words_of("dogs bark"), words_of("cats bark")]) == [
        "cats",
        "purr",
        "dogs",
        "bark",
    ]


def test_a_word_that_is_said_otherwise_counts_from_half_a_cosine_upwards():
    asked = words_of("tumours oil")
    found = synonym_coverage(asked, table_vectors(asked.words), {("cancer",)}, table_vectors(["cancer"]))
    assert found == pytest.approx(((0.8 - 0.5) / 0.5 + 0.0) / 2)


def test_a_word_that_stands_in_the_text_in_any_form_counts_nothing():
    asked, told = words_of("tumours"), words_of("a tumour")
    assert synonym_coverage(asked, table_vectors(["tumours"]), set(told.terms), table_vectors(["tumours"])) == 0.0


def test_without_words_on_either_side_nothing_is_said():
    asked, none = words_of("tumours"), np.zeros((0, 3))
    assert synonym_coverage(asked, table_vectors(asked.words), set(), none) == 0.0
    assert synonym_coverage(words_of("12"), none, set(), table_vectors(["oil"])) == 0.0


@given(st.lists(st.sampled_from(["cat", "dog", "oil", "law"]), min_size=1, unique=True), st.integers(0, 2**32 - 1))
def test_the_share_lies_between_none_and_all_and_no_text_loses_by_saying_more(words, seed):
    raw = np.random.default_rng(seed).normal(size=(len(words) + 5, 4))
    vectors = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    asked, told = words_of(" ".join(words)), vectors[len(words) :]
    shares = [synonym_coverage(asked, vectors[: len(words)], set(), told[:count]) for count in range(1, 6)]
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert np.all(np.diff(shares) >= -1e-12)


# figures


@pytest.mark.parametrize(
    ("query", "text", "share"),
    [
        ("64 GPUs for 79 hours", "It took 79 hours on 64 GPUs.", 1.0),
        ("64 GPUs for 79 hours", "It took 79 hours.", 0.5),
        ("1,024 GPUs", "1024 of them.", 1.0),
        ("16.5 hours", "165 or 16 or 5 hours.", 0.0),
        ("version 3", "version 33", 0.0),
        ("How many GPUs?", "64 GPUs", 0.0),
    ],
)
def test_figures_are_compared_whole_whatever_their_thousands_commas(query, text, share):
    assert figures_held(query, text) == share


# vectors in memory


def test_each_text_is_embedded_once_and_all_that_are_missing_in_one_call():
    embed = Recording()
    vectors = VectorCache(embed, most=10)
    assert vectors.of(["a", "bb", "a"]).tolist() == [[1.0, 1.0], [2.0, 1.0], [1.0, 1.0]]
    assert vectors.of(["bb", "ccc"]).tolist() == [[2.0, 1.0], [3.0, 1.0]]
    assert embed.asked == [["a", "bb"], ["ccc"]]


def test_the_vectors_that_were_asked_for_longest_ago_are_forgotten():
    embed = Recording()
    vectors = VectorCache(embed, most=2)
    vectors.of(["a", "bb"])
    vectors.of(["a"])
    vectors.of(["ccc"])
    vectors.of(["a", "ccc"])
    assert vectors.of(["bb"]).tolist() == [[2.0, 1.0]]
    assert embed.asked == [["a", "bb"], ["ccc"], ["bb"]]


def test_more_texts_than_are_kept_still_get_their_vectors():
    texts = [str(number) * (number + 1) for number in range(9)]
    assert VectorCache(Recording(), most=2).of(texts)[:, 0].tolist() == [len(text) for text in texts]


def test_threads_share_the_vectors():
    vectors = VectorCache(Recording(), most=50)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda size: vectors.of(["x" * size, "y"])[0, 0], [size % 60 + 1 for size in range(400)]))
    assert found == [size % 60 + 1 for size in range(400)]


# the score


def test_a_score_is_made_of_the_whole_text_of_like_words_and_of_figures():
    reranker = EmbeddingSimilarityReranker(table_vectors, table_vectors, "table")
    [score] = reranker.scores("tumours 12 7", ["cancer 12"], "q1")
    # the question and the text have the same vector; of two figures one is there
    assert score == pytest.approx(WHOLE * 1.0 + WORDS * 0.6 + FIGURES * 0.5)
    assert pytest.approx(1.0) == WHOLE + WORDS + FIGURES
    assert reranker.name == "embedding_similarity:table"


def test_an_opposed_text_and_one_without_words_score_nothing():
    opposed = {"asked": np.array([1.0, 0.0])}
    reranker = EmbeddingSimilarityReranker(
        lambda texts: np.array([opposed["asked"] for _ in texts]),
        lambda texts: np.array([[-1.0, 0.0]] * len(texts)),
        "",
    )
    assert reranker.scores("what?", ["", "of the"], "q1") == [0.0, 0.0]
    assert reranker.scores("what?", [], "q1") == []


def test_other_words_for_the_same_stand_before_what_is_about_something_else():
    scores = embedding_similarity_reranker(EmbeddingSettings()).scores(QUERY, TEXTS, "q1")
    assert scores[0] > scores[1] > max(scores[2:])  # the second has its words, which BM25 counts
    assert all(0.0 <= score <= 1.0 for score in scores)


def test_a_score_does_not_depend_on_the_company_of_its_pair():
    alone = [embedding_similarity_reranker(EmbeddingSettings()).scores(QUERY, [text], "q1")[0] for text in TEXTS]
    assert embedding_similarity_reranker(EmbeddingSettings()).scores(QUERY, TEXTS * 2, "q1") == pytest.approx(
        alone * 2, abs=2e-3
    )


# beside the others


def test_it_is_built_with_the_model_of_the_index_and_pays_for_no_pair_twice(tmp_path):
    settings, dependencies = (
        RerankSettings(kind="embedding_similarity"),
        RerankDependencies(cache=RowCache(tmp_path, RERANK_CACHE_SCHEMA)),
    )
    [reranker] = build_rerankers(settings, dependencies)
    assert isinstance(reranker, CachedReranker)
    assert reranker.name == "embedding_similarity:minilm"
    first = reranker.scores(QUERY, TEXTS, "q1")
    assert dependencies.cache is not None
    assert len(dependencies.cache) == len(TEXTS)
    assert reranker.scores(QUERY, TEXTS, "q2") == first
    [narrow] = build_rerankers(
        settings, RerankDependencies(cache=dependencies.cache, embedding=EmbeddingSettings(dim=64))
    )
    assert narrow.scores(QUERY, TEXTS[:1], "q1") != first[:1]


def test_a_model_that_is_not_at_hand_leaves_the_order_and_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    dependencies = RerankDependencies(
        cache=RowCache(tmp_path, RERANK_CACHE_SCHEMA), embedding=EmbeddingSettings(model="some/model")
    )
    rerankers = build_rerankers(RerankSettings(kind="embedding_similarity"), dependencies)
    found = rerank(rerankers, QUERY, TEXTS)
    assert (found.by, list(found.scores)) == (None, [None] * len(TEXTS))
    assert "'some/model' is not available" in found.failures[0]
    with pytest.raises(ModelError):
        rerankers[0].scores(QUERY, TEXTS, "q1")


def test_its_score_stands_beside_that_of_the_ranking_unless_the_settings_say_otherwise():
    assert rerank_share(RerankSettings(kind="embedding_similarity")) == 0.35
    assert rerank_share(RerankSettings(kind="embedding_similarity", weight=1.0)) == 1.0
    assert rerank_share(RerankSettings(kind="auto")) == 1.0
    assert rerank_share(RerankSettings(kind="chat", weight=0.0)) == 0.0
