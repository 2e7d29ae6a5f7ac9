"""Texts in scripts that the model's vocabulary lacks."""

import numpy as np
import pytest
from index_material import small_snapshot

from kohaku_lib.embedding import embed_queries
from kohaku_lib.embedding.unknown_scripts import is_unreadable
from kohaku_lib.retrieval.channels.dense import dense_search
from kohaku_lib.settings import EmbeddingSettings

MINILM = EmbeddingSettings()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ราคาเท่าไร", True),
        ("ราคา of a ticket", False),  # 4 of 13 letters are unknown
        ("Сколько стоит билет?", False),  # spelled in known characters
        ("", False),
        ("?!", False),
    ],
)
def test_a_text_is_unreadable_if_most_of_its_letters_are_unknown(text, expected):
    assert is_unreadable([text], MINILM).tolist() == [expected]


def test_an_unreadable_question_has_a_zero_vector_and_others_have_length_1():
    vectors = embed_queries(["ราคาเท่าไร", "the price"], MINILM)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([0.0, 1.0], abs=1e-5)


def test_dense_search_finds_nothing_for_a_zero_vector(tmp_path):
    snapshot = small_snapshot(tmp_path)
    queries = np.zeros((2, snapshot.meta["dim"]), np.float32)
    queries[1] = snapshot.vectors("main")[0]
    first, second = dense_search(snapshot, queries, 3)
    assert [len(ranking) for ranking in first] == [0, 0]
    assert all(len(ranking) for ranking in second)


def test_a_model_on_a_server_is_taken_to_read_everything():
    served = EmbeddingSettings(model="openai:text-embedding-3-small")
    assert is_unreadable(["ราคาเท่าไร"], served).tolist() == [False]
