"""Token counts against the tokenizer asked text by text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.errors import ModelError
from kohaku_lib.evaluation.token_counts import BATCH, TokenCount, TokenCounter, summarise_counts


@pytest.fixture(scope="module")
def counter():
    return TokenCounter("minilm")


def test_special_tokens_and_the_limit_of_the_model_do_not_count(counter):
    assert counter.counts(["one two", "word " * 1000]).tolist() == [2, 1000]


def test_more_texts_than_a_batch_are_all_counted(counter):
    assert counter.counts(["water"] * (BATCH + 3)).tolist() == [1] * (BATCH + 3)


def test_no_text_has_no_count(counter):
    assert counter.counts([]).shape == (0,)
    assert summarise_counts(np.empty(0, np.int64)) == TokenCount(0, 0, 0.0, 0.0, 0)


@given(st.lists(st.integers(0, 500), min_size=1, max_size=30))
def test_a_summary_adds_up(counts):
    found = summarise_counts(np.array(counts))
    assert (found.texts, found.tokens, found.longest) == (len(counts), sum(counts), max(counts))
    assert found.mean * len(counts) == pytest.approx(sum(counts))
    assert min(counts) <= found.p95 <= max(counts)


def test_a_folder_without_a_tokenizer_is_one_sentence(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match=r"must be a tokenizer\.json in the folder of its model"):
        TokenCounter(str(tmp_path))
