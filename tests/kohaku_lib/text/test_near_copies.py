"""Which texts nearly repeat an earlier one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.text.near_copies import near_copies

LONG = (
    "gifts above the limit are refused and sent back at the cost of the department that received them, and each of them is "
    "entered in the register within five working days of its arrival by the person to whom it was sent or by a colleague"
)


def test_texts_that_differ_in_layout_alone_are_copies():
    assert near_copies(["It weighs 4 kg.", "It weighs\n 4 kg", "Something else.", "It  weighs 4 kg!"]) == {1: 0, 3: 0}


def test_a_word_more_or_less_at_the_end_of_a_long_text_is_no_difference():
    # LONG has 39 words, so 37 shingles; one word more gives 38, of which 37 are shared: .97
    assert near_copies([LONG, f"{LONG} too", LONG.removesuffix(" colleague")]) == {1: 0, 2: 0}


def test_five_other_words_in_a_long_text_are_a_difference():
    # each changes up to three of 37 shingles: 22 of 52 remain shared
    assert near_copies([LONG, LONG.replace("the ", "a ")]) == {}


@pytest.mark.parametrize(
    ("said", "otherwise"),
    [
        ("costs 40 euros", "costs 25 euros"),
        ("starts in Paris", "starts in Lyon"),
        ("applies to B1", "applies to B2"),
        ("is allowed", "is not allowed"),
        ("gilt für alle", "gilt nicht für alle"),
    ],
)
def test_another_number_name_or_negation_states_another_fact(said, otherwise):
    # each text is long enough for nine tenths of its shingles to be the same
    long = f"{LONG}, {LONG}, {LONG}"
    assert near_copies([f"{long}; it {said}", f"{long}; it {otherwise}"]) == {}
    assert near_copies([f"{long}; it {said}", f"{long}; it {said}"]) == {1: 0}


def test_short_texts_with_another_word_are_no_copies():
    assert near_copies(["the door is open", "the door is closed"]) == {}


def test_texts_without_words_are_no_copies():
    assert near_copies(["", "…", " "]) == {}


@given(st.lists(st.sampled_from(["a b c d", "A b c d", "a b c d.", "a b", "4 kg", "5 kg", ""]), max_size=8))
def test_every_copy_names_an_earlier_text_that_is_none(texts):
    found = near_copies(texts)
    assert all(first < place and first not in found for place, first in found.items())
