"""Which texts repeat an earlier one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.text.near_copies import near_copies

LONG = "gifts above the limit are refused and sent back at the cost of the department that received them, " * 5


def test_layout_punctuation_and_capitals_do_not_count():
    assert near_copies(["It weighs 4 kg.", "it weighs\n 4 kg", "Something else.", "IT  weighs 4 kg!"]) == {1: 0, 3: 0}


@pytest.mark.parametrize(
    ("said", "otherwise"),
    [
        ("costs 40 euros", "costs 25 euros"),
        ("takes 10 mg", "takes 10 g"),
        ("starts in Paris", "starts in Lyon"),
        ("applies to B1", "applies to B2"),
        ("is allowed", "is not allowed"),
        ("is permitted", "is forbidden"),
        ("may leave", "must leave"),
        ("can leave", "can't leave"),
        ("rises by +3 %", "rises by -3 %"),
        ("holds for a > b", "holds for a < b"),
        ("gilt für alle", "gilt nicht für alle"),
    ],
)
def test_one_other_word_or_sign_in_a_long_text_states_another_fact(said, otherwise):
    assert near_copies([f"{LONG} and it {said}", f"{LONG} and it {otherwise}"]) == {}
    assert near_copies([f"{LONG} and it {said}", f"{LONG} and it {said}"]) == {1: 0}


def test_texts_without_words_are_no_copies():
    assert near_copies(["", "…", " ", ""]) == {}


@given(st.lists(st.sampled_from(["a b c d", "A b c d", "a b c d.", "a b", "4 kg", "5 kg", ""]), max_size=8))
def test_every_copy_names_an_earlier_text_that_is_none(texts):
    found = near_copies(texts)
    assert all(first < place and first not in found for place, first in found.items())
