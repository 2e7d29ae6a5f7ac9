"""Tiles cover an image, keep their size and stay within their number."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.documents.ocr.tiling import Tile, tile_image

SIDES = st.integers(1, 4000)


def test_an_image_no_larger_than_a_tile_is_one_tile():
    assert tile_image(1024, 700, 1024, 128, 16) == [Tile(0, 0, 700, 1024)]


def test_tiles_are_in_reading_order_and_the_last_shift_inward():
    tiles = tile_image(1500, 1200, 1024, 128, 16)
    assert tiles == [
        Tile(0, 0, 1024, 1024),
        Tile(0, 476, 1024, 1500),
        Tile(176, 0, 1200, 1024),
        Tile(176, 476, 1200, 1500),
    ]


def test_a_letter_page_at_300_dots_per_inch_takes_twelve_tiles():
    tiles = tile_image(2550, 3300, 1024, 128, 16)
    assert len(tiles) == 12
    assert {tile.x0 for tile in tiles} == {0, 896, 1526}
    assert {tile.y0 for tile in tiles} == {0, 896, 1792, 2276}


def test_more_than_the_most_tiles_make_the_step_and_the_tiles_grow():
    tiles = tile_image(9000, 9000, 1024, 128, 16)
    assert 9 <= len(tiles) <= 16
    assert min(tile.x1 - tile.x0 for tile in tiles) > 1024


@settings(deadline=None)
@given(SIDES, SIDES, st.integers(128, 2000), st.integers(0, 64), st.integers(1, 40))
def test_every_pixel_lies_in_a_tile_of_full_size(width, height, size, overlap, most):
    tiles = tile_image(width, height, size, overlap, most)
    assert 1 <= len(tiles) <= most
    assert len(set(tiles)) == len(tiles)
    assert tiles == sorted(tiles)
    columns, rows = sorted({(t.x0, t.x1) for t in tiles}), sorted({(t.y0, t.y1) for t in tiles})
    for spans, length in ((columns, width), (rows, height)):
        assert spans[0][0] == 0
        assert spans[-1][1] == length
        assert all(after[0] <= before[1] - overlap for before, after in pairwise(spans))
        assert len({end - start for start, end in spans}) == 1
    assert len(tiles) == len(columns) * len(rows)
