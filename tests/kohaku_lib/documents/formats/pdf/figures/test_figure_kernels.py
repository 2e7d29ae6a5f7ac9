"""Captions, marks and clusters of figures, on their own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.pdf.figures.figure_captions import (
    caption_distance,
    is_figure_caption,
    nearest_caption,
)
from kohaku_lib.documents.formats.pdf.figures.figure_labels import readable_text, reads_as_table
from kohaku_lib.documents.formats.pdf.figures.figure_regions import figure_regions
from kohaku_lib.documents.formats.pdf.figures.marks import Mark, page_marks, prose_lines
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText

FIGURE = Box(100, 100, 300, 200)


def line(text, x0=0.0, y0=0.0, block=0):
    return Line(text, Box(x0, y0, x0 + 5 * len(text), y0 + 10), 10.0, False, block)


def page(*lines):
    return PageText(1, 600.0, 800.0, tuple(lines))


def drawing(*items, kind="f", fill=(0.0, 0.0, 1.0)):
    return {"type": kind, "fill": fill, "items": list(items), "rect": (10.0, 10.0, 60.0, 60.0)}


@pytest.mark.parametrize(
    "text",
    [
        "Figure 3: Growth.",
        "Fig. 2.",
        "FIGURE 1 — Sales",
        "Chart 4 Sales",
        "Fig.4 | Yield",
        "Abbildung 3: Ertrag",
        "Plate IV. Bees",
        "Figure 7-26. Nuts.",
        "Figure A1. Rooms",
        "Exhibit 2: Share",
        "Figure 2 to paragraph (h) — Notes",
        "Figure 5",
    ],
)
def test_captions_begin_with_a_word_for_figures_and_a_number(text):
    assert is_figure_caption(text)


@pytest.mark.parametrize(
    "text",
    [
        "Figure 3 shows that amber is old.",
        "Figures 3 and 4",
        "figure 3: so",
        "Table 2: Yield",
        "Configure 3: x",
        "Figure of speech",
        "Photographs 3",
        "Figure 2(a) shows the share",
        "",
    ],
)
def test_sentences_and_other_words_are_no_captions(text):
    assert not is_figure_caption(text)


@pytest.mark.parametrize(
    ("caption", "distance"),
    [
        (Box(100, 210, 300, 220), 10.0),
        (Box(100, 80, 300, 90), 30.0),  # above counts as 20 points farther
        (Box(100, 261, 300, 271), None),
        (Box(400, 210, 500, 220), None),
        (Box(100, 195, 300, 205), 0.0),
    ],
)
def test_a_caption_is_near_below_or_above_in_the_same_column(caption, distance):
    assert caption_distance(FIGURE, caption) == distance


def test_the_nearest_caption_wins_and_there_may_be_none():
    below, above = Box(100, 215, 300, 225), Box(100, 80, 300, 95)
    assert nearest_caption(FIGURE, [above, below]) == 1
    assert nearest_caption(FIGURE, []) is None


def test_rows_of_words_and_numbers_read_as_a_table_and_ticks_do_not():
    rows = [line(f"Item {n} 1,200 3,400", y0=20.0 * n) for n in range(4)]
    assert reads_as_table(rows)
    assert not reads_as_table(rows[:2])
    assert not reads_as_table([line(str(n), x0=30.0 * n) for n in range(2018, 2024)])


def test_garbled_words_are_dropped_and_numbers_kept():
    assert readable_text([line("?>9@AJ"), line("Monitor (V)"), line("%!"), line("15 %")]) == "Monitor (V)\n15 %"


CAPTIONED = page(line("Figure 1: Shapes.", y0=700.0))


def test_rectangles_lines_and_curves_are_distinguished():
    items = [
        ("re", (10, 10, 30, 60), 1),
        ("re", (10, 10, 30, 11), 1),
        ("re", (60, 60, 40, 20), 1),
    ]
    kinds = [(mark.kind, mark.box) for mark in page_marks([drawing(*items)], [], CAPTIONED, (600, 800))]
    assert kinds == [
        ("panel", Box(10, 10, 30, 60)),
        ("rule", Box(10, 10, 30, 11)),
        ("panel", Box(40, 20, 60, 60)),
    ]
    (curved,) = page_marks([drawing(("c", (10, 10), (20, 30), (40, 30), (60, 60)))], [], CAPTIONED, (600, 800))
    assert curved == Mark("shape", Box(10, 10, 60, 60))


def test_a_filled_outline_is_a_panel_and_a_stroked_one_is_rules():
    corners = [(10, 10), (40, 10), (40, 50), (10, 50)]
    outline = [("l", a, b) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]
    filled = page_marks([drawing(*outline)], [], CAPTIONED, (600, 800))
    assert filled == [Mark("panel", Box(10, 10, 40, 50))]
    assert page_marks([drawing(*outline, kind="s", fill=None)], [], CAPTIONED, (600, 800)) == []  # rules alone


def test_shaded_cells_without_a_caption_give_no_marks_and_bars_do():
    shades = drawing(*(("re", (10, 20 * n, 90, 20 * n + 10), 1) for n in range(8)))
    bars = drawing(*(("re", (20 * n, 100 - 15 * n, 20 * n + 10, 100), 1) for n in range(1, 6)))
    assert page_marks([shades], [], page(), (600, 800)) == []
    assert len(page_marks([shades], [], CAPTIONED, (600, 800))) == 8
    assert [mark.kind for mark in page_marks([bars], [], page(), (600, 800))] == ["panel"] * 5


def test_white_areas_and_what_covers_the_page_are_left_out():
    white = drawing(("re", (10, 10, 60, 60), 1), fill=(1.0, 1.0, 1.0))
    whole = drawing(("re", (0, 0, 600, 800), 1))
    assert page_marks([white, whole], [], page(), (600, 800)) == []


def test_marks_as_faint_as_a_watermark_are_left_out_and_others_stay():
    curved = drawing(("c", (10, 10), (20, 30), (40, 30), (60, 60)))
    opacities = (0.03, 0.09, 0.42, 1.0, None)
    assert [len(page_marks([curved | {"fill_opacity": one}], [], CAPTIONED, (600, 800))) for one in opacities] == [
        *(0, 0, 1, 1, 1)
    ]


def test_an_image_is_cut_to_the_frame_around_its_middle():
    frame = drawing(("re", (100, 100, 300, 300), 1))
    marks = page_marks([frame], [Box(150, 150, 340, 200)], page(), (600, 800))
    assert Mark("image", Box(150, 150, 300, 200)) in marks


def test_prose_is_long_lines_and_blocks_of_fairly_long_ones():
    long, block, label = line("x" * 50, block=1), [line("y" * 30, block=2)] * 3, line("z" * 30, block=3)
    assert prose_lines(page(long, *block, label)) == [long, *block]


def test_bars_of_three_lengths_are_a_figure_and_equal_cells_are_none():
    bars = [
        Mark("panel", Box(100 + 30 * n, 300 - height, 120 + 30 * n, 300)) for n, height in enumerate((40, 60, 80, 50))
    ]
    cells = [Mark("panel", Box(100 + 30 * n, 260, 120 + 30 * n, 300)) for n in range(4)]
    (region,) = figure_regions(bars, [], page())
    assert region.box == Box(100, 220, 210, 300)
    assert figure_regions(cells, [], page()) == []
    assert figure_regions(bars, [Box(90, 200, 220, 310)], page()) == []


def test_fields_of_a_form_with_their_labels_above_them_are_no_bars_and_bars_with_theirs_beside_them_are():
    lengths = (300, 240, 180, 120)
    fields = [Mark("panel", Box(100, 100 + 40 * n, 100 + length, 115 + 40 * n)) for n, length in enumerate(lengths)]
    above = [line("Name of agency:", 101, 88 + 40 * n) for n in range(4)]
    beside = [line("North", 70, 102 + 40 * n) for n in range(4)]
    assert figure_regions(fields, [], page(*above)) == []
    assert len(figure_regions(fields, [], page(*beside))) == 1


@st.composite
def boxes(draw):
    x0, y0 = draw(st.integers(0, 560)), draw(st.integers(0, 760))
    return Box(x0, y0, min(600, x0 + draw(st.integers(0, 200))), min(800, y0 + draw(st.integers(0, 200))))


@given(st.lists(st.builds(Mark, st.sampled_from(["shape", "panel", "rule", "image"]), boxes()), max_size=25))
def test_regions_lie_on_the_page_hold_their_marks_and_share_none(marks):
    regions = figure_regions(marks, [], page(line("Words", 20, 20)))
    for region in regions:
        assert 0 <= region.box.x0 <= region.box.x1 <= 600
        assert 0 <= region.box.y0 <= region.box.y1 <= 800
        assert all((region.drawn | mark.box) == region.drawn for mark in region.marks)
    seeds = [id(mark) for region in regions for mark in region.marks if mark.kind != "rule"]
    assert len(seeds) == len(set(seeds))


def test_words_on_another_drawing_are_no_labels_of_the_figure_beside_it():
    photo, triangle = Mark("image", Box(300, 100, 500, 400)), Mark("shape", Box(210, 200, 285, 240))
    text = page(
        line("Growth", 262.0, 215.0, block=1),
        *(line("Running text of the page, as it goes on.", 0.0, 600.0 + 12 * n) for n in range(4)),
    )
    with_triangle, alone = (figure_regions(marks, [], text)[0].box for marks in ([photo, triangle], [photo]))
    assert (with_triangle.x0, alone.x0) == (300, 262)
