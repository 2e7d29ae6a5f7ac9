"""Figures of a document: repeats, the text they own, their captions, and placeholders in reading order."""

import pytest

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.figures.figure_captions import caption_with_text, is_adjacent
from kohaku_lib.documents.formats.pdf.figures.figure_labels import inner_lines, with_labels
from kohaku_lib.documents.formats.pdf.figures.page_figures import (
    PageFigure,
    with_placeholders,
    without_figure_text,
    without_repeats,
)
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText

FIGURE = Box(100, 100, 300, 200)


def figure(page=1, box=FIGURE, xref=None, **rest):
    return PageFigure(page, rest.pop("name", "drawing"), 400, 200, None if xref is None else 900, xref, box, **rest)


def line(text, x0, y0, x1=None, y1=None, block=0, **rest):
    return Line(
        text,
        Box(x0, y0, x0 + 5 * len(text) if x1 is None else x1, y0 + 10 if y1 is None else y1),
        10.0,
        False,
        block,
        **rest,
    )


def text(*lines, asides=()):
    return PageText(1, 600.0, 800.0, lines, asides)


def block(words, y0, y1=None, kind="text", x0=100, x1=300):
    return Block(kind, words, 1, Box(x0, y0, x1, y0 + 10 if y1 is None else y1))


# Repeats


def test_an_image_on_three_pages_is_decoration_and_one_on_two_counts_once():
    logo = [figure(page, xref=7) for page in (1, 2, 3)]
    photo = [figure(page, Box(0, 0, 90, 90), xref=8) for page in (1, 2)]
    assert without_repeats([*logo, *photo]) == [photo[0]]


def test_equal_drawings_in_one_place_of_three_pages_are_decoration():
    assert without_repeats([figure(page) for page in (1, 2, 3)]) == []
    assert len(without_repeats([figure(page) for page in (1, 2)])) == 2


@pytest.mark.parametrize("change", [{"text": "a"}, {"marks": 2}, {"box": Box(100, 300, 300, 400)}])
def test_drawings_that_differ_in_text_marks_or_place_are_no_repeats(change):
    drawings = [figure(1), figure(2), figure(3, **change)]
    assert without_repeats(drawings) == drawings


def test_no_figures_have_no_repeats():
    assert without_repeats([]) == []


# Text of a figure


def test_a_figure_takes_its_labels_from_the_running_text_but_not_captions():
    label, caption, prose = line("2019", 150, 150), line("Figure 1: Use.", 150, 190, block=1), line("Text.", 100, 400)
    aside = line("kWh", 110, 120)
    page = text(label, caption, prose, asides=(aside,))
    assert without_figure_text(page, [figure(owns_text=True)]) == text(caption, prose)
    assert without_figure_text(page, [figure(owns_text=False)]) == page


def test_inner_lines_go_row_by_row_and_end_with_those_of_other_directions():
    right, left, below = line("b", 250, 110), line("a", 120, 110.5), line("c", 120, 150)
    aside = line("kWh", 110, 120)
    assert [found.text for found in inner_lines(FIGURE, text(below, right, left, asides=(aside,)))] == [
        "a",
        "b",
        "c",
        "kWh",
    ]


def test_labels_beside_a_figure_extend_its_box_and_prose_does_not():
    tick = line("2019", 150, 203, block=1)
    prose = line("A line of running text that is long enough to be one, below.", 100, 203, block=2)
    assert with_labels(FIGURE, text(tick), []) == FIGURE | tick.box
    assert with_labels(FIGURE, text(prose), []) == FIGURE
    assert with_labels(FIGURE, text(tick), [tick.box]) == FIGURE  # it is in a table


def test_a_label_beside_a_label_is_reached_in_the_next_round():
    first, second = line("2019", 150, 203, block=1), line("year", 150, 215, block=2)
    assert with_labels(FIGURE, text(first, second), []) == FIGURE | first.box | second.box


# Captions


@pytest.mark.parametrize(
    ("caption", "adjacent"),
    [
        (Box(100, 205, 300, 215), True),
        (Box(100, 259, 300, 269), True),
        (Box(100, 261, 300, 271), False),  # more than 60 points below
        (Box(100, 55, 300, 65), True),  # 35 above counts as 55
        (Box(100, 45, 300, 55), False),  # 45 above counts as 65
        (Box(400, 205, 500, 215), False),  # in another column
    ],
)
def test_a_caption_is_near_below_or_nearer_above_in_the_same_column(caption, adjacent):
    assert is_adjacent(FIGURE, caption) is adjacent


def test_a_bare_label_is_continued_by_the_short_text_directly_below():
    blocks = [block("Figure 3", 210), block("Energy use by model.", 222)]
    assert caption_with_text(blocks, 0) == ("Figure 3 Energy use by model.", (0, 1))


@pytest.mark.parametrize(
    "follower",
    [
        block("Too far below.", 240),
        block("Figure 4: Another one.", 222),
        block("x" * 401, 222),
        block("| a | b |", 222, kind="table"),
    ],
)
def test_other_text_below_a_label_is_no_part_of_the_caption(follower):
    assert caption_with_text([block("Figure 3", 210), follower], 0) == ("Figure 3", (0,))


def test_a_caption_with_text_of_its_own_is_complete():
    blocks = [block("Figure 3: Energy use.", 210), block("More.", 222)]
    assert caption_with_text(blocks, 0) == ("Figure 3: Energy use.", (0,))
    assert caption_with_text(blocks[:1], 0) == ("Figure 3: Energy use.", (0,))


# Placeholders


def test_a_figure_takes_the_place_of_its_caption():
    blocks = [block("Above.", 50), block("Figure 1: Use.", 210), block("Below.", 400)]
    found = with_placeholders(blocks, [figure()], text())
    assert [entry.kind for entry in found] == ["text", "image", "text"]
    assert found[1].metadata["page_caption"] == "Figure 1: Use."
    assert found[1].text == "[Image page=1 idx=1 name=drawing] Size: 400x200, drawn"


def test_a_figure_without_a_caption_follows_the_nearest_block_above():
    blocks = [block("Top.", 20), block("Above.", 50), block("Below.", 400)]
    found = with_placeholders(blocks, [figure()], text())
    assert [entry.text for entry in found if entry.kind == "text"] == ["Top.", "Above.", "Below."]
    assert [entry.kind for entry in found] == ["text", "text", "image", "text"]
    assert found[2].metadata["page_caption"] is None


def test_a_figure_with_nothing_above_is_last_on_the_page():
    assert [entry.kind for entry in with_placeholders([block("Below.", 400)], [figure()], text())] == ["text", "image"]
    assert [entry.kind for entry in with_placeholders([], [figure()], text())] == ["image"]


def test_the_parts_of_a_figure_share_a_caption_and_are_numbered():
    parts = [figure(), figure(box=Box(310, 100, 400, 200), xref=5)]
    found = with_placeholders([block("Figure 1: Use.", 210, x1=400)], parts, text())
    assert [entry.metadata["image_index"] for entry in found] == [1, 2]
    assert {entry.metadata["page_caption"] for entry in found} == {"Figure 1: Use."}
    assert [entry.metadata["has_image_data"] for entry in found] == [True, True]
    assert found[1].text.endswith("Data: 900")


def test_a_page_without_figures_keeps_its_blocks():
    blocks = [block("Figure 1: Use.", 210)]
    assert with_placeholders(blocks, [], text()) == blocks
