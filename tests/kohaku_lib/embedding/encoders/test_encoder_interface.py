"""Prompts and batches, whatever model runs them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.embedding.encoders.interface import length_sorted_batches, prompt_for


@given(st.lists(st.integers(1, 300), max_size=60), st.integers(1, 1024))
def test_batches_hold_every_text_once_within_the_budget(lengths, budget):
    batches = list(length_sorted_batches(np.array(lengths, dtype=np.int64), budget))
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[row] for row in batch)
        assert len(batch) == 1 or len(batch) * longest <= budget


def test_the_prompt_of_the_task_goes_before_that_of_the_side_and_the_default():
    prompts = {"retrieval.query": "R ", "query": "Q ", "passage": "P ", "plain": "D "}
    assert prompt_for(prompts, "plain", "query", "retrieval") == "R "
    assert prompt_for(prompts, "plain", "query", "code") == "Q "
    assert prompt_for(prompts, "plain", "document", "code") == "P "
    assert prompt_for({"plain": "D "}, "plain", "document", "code") == "D "
    assert prompt_for({}, None, "query", "retrieval") == ""
