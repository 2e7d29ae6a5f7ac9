"""The three ways to make one text of those of overlapping tiles."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.documents.ocr.merging import keep_best, keep_first, merge_texts, similarity

LINES = st.text(st.sampled_from("abcdefg "), max_size=12)
TEXTS = st.lists(st.lists(LINES, max_size=6).map("\n".join), max_size=4)


def merged(texts, strategy, confidences=None, ratio=0.8):
    return merge_texts(texts, confidences or [0.5] * len(texts), strategy, ratio)


def test_concat_joins_tiles_that_are_not_blank_by_a_blank_line():
    assert merged(["one\ntwo", " \n", "two\nthree"], "concat") == "one\ntwo\n\ntwo\nthree"


def test_fuzzy_skips_a_line_that_is_like_a_recent_one():
    assert (
        merged(["first line\nthe overlap", "the overIap\nlast line"], "fuzzy") == "first line\nthe overlap\nlast line"
    )


def test_fuzzy_looks_back_ten_lines_and_no_further():
    between = [f"{letter * 8}" for letter in "abcdefghij"]
    assert merged(["repeated", "\n".join(between[:9]), "repeated"], "fuzzy").count("repeated") == 1
    assert merged(["repeated", "\n".join(between), "repeated"], "fuzzy").count("repeated") == 2


def test_vote_keeps_the_surer_reading_where_the_line_first_stood():
    texts = ["heading\nthe qvick fox", "the quick fox\nlast"]
    assert merged(texts, "vote", [0.6, 0.9]) == "heading\nthe quick fox\nlast"
    assert merged(texts, "vote", [0.9, 0.6]) == "heading\nthe qvick fox\nlast"


@pytest.mark.parametrize("strategy", ["fuzzy", "vote", "concat"])
def test_no_tiles_and_blank_tiles_give_no_text(strategy):
    assert merged([], strategy) == ""
    assert merged(["", " \n\n"], strategy) == ""


def test_the_ratio_is_reached_by_equality():
    assert similarity("abcd", "abcx") == 0.75
    assert keep_first([["abcd"], ["abcx"]], lambda a, b: similarity(a, b) >= 0.75) == ["abcd"]
    assert keep_first([["abcd"], ["abcx"]], lambda a, b: similarity(a, b) >= 0.76) == ["abcd", "abcx"]


@settings(deadline=None)
@given(TEXTS)
def test_fuzzy_keeps_lines_in_order_and_none_that_are_blank(texts):
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    kept = merged(texts, "fuzzy").splitlines()
    rest = iter(lines)
    assert all(line in rest for line in kept)
    assert kept[:1] == lines[:1]


@settings(deadline=None)
@given(TEXTS, st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_vote_has_one_line_per_group_whatever_the_confidences(texts, confidences):
    sure = merged(texts, "vote", confidences[: len(texts)]).splitlines()
    plain = merged(texts, "vote", [0.5] * len(texts)).splitlines()
    assert len(sure) == len(plain)
    assert all(any(line in text.splitlines() for text in texts) for line in sure)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), max_size=5), max_size=4))
def test_with_equality_and_no_window_both_keep_each_value_once_in_order(tiles):
    once = list(dict.fromkeys(value for tile in tiles for value in tile))
    assert keep_first(tiles, lambda a, b: a == b) == once
    assert keep_best(tiles, [0.1 * n for n in range(len(tiles))], lambda a, b: a == b) == once
