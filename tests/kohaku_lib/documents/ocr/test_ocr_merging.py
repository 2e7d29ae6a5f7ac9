"""Of what overlapping tiles have both read, one stays."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.documents.ocr.stitching import keep_best, keep_first, similarity

LINES = st.text(st.sampled_from("abcdefg "), max_size=12)
TILES = st.lists(st.lists(LINES, max_size=6), max_size=4)


def alike(a, b):
    return similarity(a, b) >= 0.8


def test_a_line_that_is_like_a_kept_one_is_left_out():
    tiles = [["first line", "the overlap"], ["the overIap", "last line"]]
    assert keep_first(tiles, alike) == ["first line", "the overlap", "last line"]


def test_the_more_confident_result_takes_the_place_of_the_first():
    tiles = [["heading", "the qvick fox"], ["the quick fox", "last"]]
    assert keep_best(tiles, [0.6, 0.9], alike) == ["heading", "the quick fox", "last"]
    assert keep_best(tiles, [0.9, 0.6], alike) == ["heading", "the qvick fox", "last"]


def test_no_tiles_and_empty_tiles_give_no_lines():
    assert keep_first([], alike) == keep_first([[], []], alike) == []
    assert keep_best([], [], alike) == keep_best([[], []], [0.5, 0.5], alike) == []


def test_the_ratio_is_reached_by_equality():
    assert similarity("abcd", "abcx") == 0.75
    assert keep_first([["abcd"], ["abcx"]], lambda a, b: similarity(a, b) >= 0.75) == ["abcd"]
    assert keep_first([["abcd"], ["abcx"]], lambda a, b: similarity(a, b) >= 0.76) == ["abcd", "abcx"]


@settings(deadline=None)
@given(TILES)
def test_lines_of_keep_first_are_in_order_and_unlike_each_other(tiles):
    lines = keep_first(tiles, alike)
    rest = iter([line for tile in tiles for line in tile])
    assert all(line in rest for line in lines)
    assert not any(alike(a, b) for at, b in enumerate(lines) for a in lines[:at])


@settings(deadline=None)
@given(TILES, st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_there_is_one_line_per_group_whatever_the_confidences(tiles, confidences):
    sure = keep_best(tiles, confidences[: len(tiles)], alike)
    assert len(sure) == len(keep_best(tiles, [0.5] * len(tiles), alike))
    assert all(any(line in tile for tile in tiles) for line in sure)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), max_size=5), max_size=4))
def test_with_equality_both_keep_each_value_once_in_order(tiles):
    once = list(dict.fromkeys(value for tile in tiles for value in tile))
    assert keep_first(tiles, lambda a, b: a == b) == once
    assert keep_best(tiles, [0.1 * n for n in range(len(tiles))], lambda a, b: a == b) == once
