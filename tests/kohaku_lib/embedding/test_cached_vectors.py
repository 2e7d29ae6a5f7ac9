"""The buffer of vectors that fills up, the cost of a run, and rows of the cache."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.embedding.cached import EMBEDDING_CACHE_SCHEMA, EmbeddingCost, Vectors, cache_rows
from kohaku_lib.embedding.encoder_selection import check_dim, encoder_for
from kohaku_lib.embedding.encoders.interface import Chunk, token_sum
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache

COUNTS = st.lists(st.none() | st.integers(0, 1000), max_size=6)


@pytest.fixture(scope="module")
def minilm():
    return encoder_for(EmbeddingSettings())


def chunk(truncated, billed):
    return Chunk(np.arange(1), np.zeros((1, 2), np.float32), truncated, billed)


@given(COUNTS)
def test_a_sum_is_unknown_where_one_count_is(counts):
    assert token_sum(*counts) == (None if None in counts else sum(counts))


def test_the_cost_sums_truncated_texts_and_the_bill_of_all_chunks():
    cost = EmbeddingCost()
    cost.add(chunk(2, 10))
    cost.add(chunk(0, 5))
    assert (cost.truncated, cost.billed_tokens) == (2, 15)


def test_a_chunk_without_a_bill_leaves_the_bill_unknown():
    cost = EmbeddingCost()
    for billed in (10, None, 5):
        cost.add(chunk(1, billed))
    assert (cost.truncated, cost.billed_tokens) == (3, None)


def test_vectors_are_put_in_any_order_and_the_others_are_zero(minilm):
    vectors = Vectors(4, "m")
    vectors.put(np.array([2, 0]), np.array([[1, 2], [3, 4]], np.float32))
    assert vectors.matrix(minilm).tolist() == [[3, 4], [0, 0], [1, 2], [0, 0]]
    assert vectors.known.tolist() == [True, False, True, False]


def test_a_buffer_without_vectors_has_the_width_of_the_encoder(minilm):
    assert Vectors(0, "m").matrix(minilm).shape == (0, 384)
    assert Vectors(3, "m").matrix(minilm).tolist() == [[0] * 384] * 3


def test_a_change_of_width_is_an_error_that_names_the_model():
    vectors = Vectors(2, "my-model")
    vectors.put(np.array([0]), np.zeros((1, 3), np.float32))
    with pytest.raises(ModelError, match=r"'my-model' returned 4 dimensions, but 3 before"):
        vectors.put(np.array([1]), np.zeros((1, 4), np.float32))
    assert vectors.known.tolist() == [True, False]


def test_cached_vectors_are_recalled_to_the_rows_of_their_keys(minilm, tmp_path):
    rows = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    with RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA) as cache:
        cache.add_table(cache_rows(["b", "a"], rows))
        vectors = Vectors(3, "m")
        assert vectors.recall(["a", "x", "b"], cache) == 2
        assert vectors.matrix(minilm).tolist() == [[4, 5, 6], [0, 0, 0], [1, 2, 3]]
        assert Vectors(1, "m").recall(["unknown"], cache) == 0
        assert Vectors(0, "m").recall([], cache) == 0
    assert Vectors(1, "m").recall(["a"], None) == 0


def test_rows_of_the_cache_fit_its_schema_without_rows_too():
    for count in (0, 2):
        table = cache_rows(["k"] * count, np.ones((count, 3), np.float32))
        assert table.schema.field("vector").type == EMBEDDING_CACHE_SCHEMA.field("vector").type
        assert table["vector"].to_pylist() == [[1.0, 1.0, 1.0]] * count


@pytest.mark.parametrize("dim", [None, 1, 384])
def test_dimensions_up_to_those_of_the_model_are_accepted(dim):
    check_dim(EmbeddingSettings(dim=dim), 384)


def test_more_dimensions_than_the_model_has_are_an_error():
    with pytest.raises(ModelError, match=r"embedding\.dim is 385, but the model 'minilm' has 384 dimensions"):
        check_dim(EmbeddingSettings(dim=385), 384)
