"""Lines that several tiles have read, whole or in part, become the lines of the image."""

from kohaku_lib.documents.ocr import OcrLine, corners_of
from kohaku_lib.documents.ocr.stitching import MergeStrategy, TileLines, join_texts, stitch_tiles
from kohaku_lib.documents.ocr.tiling import Tile

LEFT, RIGHT = Tile(0, 0, 1000, 1000), Tile(0, 800, 1000, 1800)
UPPER, LOWER = Tile(0, 0, 1000, 1000), Tile(800, 0, 1800, 1000)


def line(text, x0, y0, x1, y1, confidence=0.9):
    return OcrLine(text, corners_of(x0, y0, x1, y1), confidence)


def stitched(*tiles, size=(1800, 1000), strategy: MergeStrategy = "fuzzy"):
    read = [TileLines(tile, tuple(lines)) for tile, lines in tiles]
    return [found.text for found in stitch_tiles(read, size, strategy, 0.8)]


def test_a_line_cut_by_a_tile_border_is_joined_without_the_cut_letters():
    left = (LEFT, [line("The LinnSequencer is a state-of-|", 400, 10, 1000, 40)])
    right = (RIGHT, [line("! a state-of-the-art tool", 800, 11, 1300, 41)])
    assert stitched(left, right) == ["The LinnSequencer is a state-of-the-art tool"]


def test_a_line_that_both_tiles_have_whole_stays_once():
    left = (LEFT, [line("overlap", 820, 10, 980, 40)])
    right = (RIGHT, [line("overIap", 821, 10, 981, 40)])
    assert stitched(left, right) == ["overlap"]


def test_vote_takes_the_reading_of_the_surer_tile():
    left = (LEFT, [line("overIap", 820, 10, 980, 40, 0.6)])
    right = (RIGHT, [line("overlap", 820, 10, 980, 40, 0.9)])
    assert stitched(left, right, strategy="vote") == ["overlap"]
    assert stitched(left, right, strategy="fuzzy") == ["overIap"]


def test_concat_keeps_every_reading():
    left = (LEFT, [line("overlap", 820, 10, 980, 40)])
    right = (RIGHT, [line("overlap", 820, 10, 980, 40)])
    assert stitched(left, right, strategy="concat") == ["overlap", "overlap"]


def test_equal_words_in_different_places_both_stay():
    left = (LEFT, [line("Total", 10, 10, 90, 40), line("Total", 10, 100, 90, 130)])
    right = (RIGHT, [line("Total", 1500, 10, 1590, 40)])
    assert sorted(stitched(left, right)) == ["Total", "Total", "Total"]


def test_a_piece_of_a_line_yields_to_the_whole():
    left = (LEFT, [line("There w", 850, 10, 1000, 40)])
    right = (RIGHT, [line("There was a time", 850, 10, 1400, 40)])
    assert stitched(left, right) == ["There was a time"]


def test_half_a_line_at_an_inner_lower_border_is_left_out():
    upper = (UPPER, [line("glyph5 hnlf", 10, 985, 300, 1000)])
    lower = (LOWER, [line("glyphs half", 10, 985, 300, 1015)])
    assert stitched(upper, lower, size=(1000, 1800)) == ["glyphs half"]


def test_a_line_at_the_edge_of_the_image_stays():
    lower = (LOWER, [line("footer", 10, 1780, 300, 1800)])
    assert stitched((UPPER, []), lower, size=(1000, 1800)) == ["footer"]


def test_halves_with_nothing_in_common_are_parted_by_a_blank():
    assert join_texts("alpha", "omega", 1) == "alpha omega"


def test_last_ten_drops_what_resembles_a_line_kept_shortly_before_wherever_it_stands():
    left = (LEFT, [line("Total 41", 10, 10, 90, 40), line("  ", 10, 50, 90, 80)])
    right = (RIGHT, [line("Total 42", 1500, 10, 1590, 40), line("Other", 1500, 50, 1590, 80)])
    assert stitched(left, right, strategy="last_ten") == ["Total 41", "Other"]
    apart = (LEFT, [line("Total 41", 10, 10, 90, 40), *[line(10 * str(n), 10, 50, 90, 80) for n in range(10)]])
    assert stitched(apart, right, strategy="last_ten")[-2:] == ["Total 42", "Other"]
