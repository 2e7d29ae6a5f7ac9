"""Lines of a page: reading order, rows, tables, paragraphs, furniture; all from hand-placed lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.pdf.blocks import CAPTION, Block
from kohaku_lib.documents.formats.pdf.headings import body_size, mark_headings
from kohaku_lib.documents.formats.pdf.tables.aligned import find_aligned_tables
from kohaku_lib.documents.formats.pdf.tables.captions import with_table_captions
from kohaku_lib.documents.formats.pdf.tables.rows import visual_rows
from kohaku_lib.documents.formats.pdf.text.columns import reading_regions
from kohaku_lib.documents.formats.pdf.text.continuation import join_continued
from kohaku_lib.documents.formats.pdf.text.hyphens import vocabulary_of
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText, page_box, upright_box
from kohaku_lib.documents.formats.pdf.text.paragraphs import paragraph_blocks
from kohaku_lib.documents.formats.pdf.text.running_headers import without_furniture

NO_WORDS = vocabulary_of([])
PROSE = "a line of prose that is wide"


def line(text, x0, y0, x1=None, size=10.0, bold=False, block=0):
    return Line(text, Box(x0, y0, x1 if x1 is not None else x0 + 5.0 * len(text), y0 + size), size, bold, block)


def page(lines, number=1, asides=()):
    return PageText(number, 600.0, 800.0, tuple(lines), tuple(asides))


def texts(lines):
    return [item.text for item in lines]


def paragraphs(lines):
    return texts(paragraph_blocks(lines, 1, 0, NO_WORDS))


def block(text, page_number=1, region=0, kind="text", y0=100.0, size=10.0, **rest):
    return Block(kind, text, page_number, Box(50, y0, 300, y0 + 20), size, region=region, **rest)


# Reading order


def two_columns(top, rows=4):
    left = [line(f"left {top} {row} {PROSE}"[:36], 50, top + 12 * row, 290) for row in range(rows)]
    right = [line(f"right {top} {row} {PROSE}"[:36], 310, top + 12 * row, 550) for row in range(rows)]
    return left, right


def test_two_columns_are_read_one_after_the_other():
    left, right = two_columns(100)
    mixed = [item for pair in zip(left, right, strict=True) for item in pair]
    assert reading_regions(mixed) == [left, right]


def test_a_box_of_short_lines_beside_the_text_is_a_column():
    prose = [line(f"{PROSE} and goes on {row}", 50, 100 + 12 * row, 330) for row in range(12)]
    box = [line(f"fact {row}", 350, 103 + 17 * row, 420) for row in range(7)]
    assert reading_regions([*box, *prose]) == [prose, box]


def test_short_cells_on_the_rows_of_the_text_are_no_column():
    prose = [line(f"{PROSE} and goes on {row}", 50, 100 + 12 * row, 330) for row in range(12)]
    cells = [line(f"{row} kWh", 350, 100 + 12 * row, 420) for row in range(12)]
    assert len(reading_regions([*prose, *cells])) == 1


def grid(numbers):
    """Four cards, the heads of which are left and right in an upper row, then in a lower one."""
    places = [(50, 100), (310, 100), (50, 200), (310, 200)]
    heads = [line(f"{n}. {PROSE}", x, y, x + 230, bold=True) for n, (x, y) in zip(numbers, places, strict=True)]
    bodies = [line(f"{PROSE} of {n}", x, y + 14, x + 230) for n, (x, y) in zip(numbers, places, strict=True)]
    found = [item.text for region in reading_regions([*heads, *bodies]) for item in region]
    return [int(text.split(".")[0]) for text in found if ". " in text]


def test_numbers_say_whether_a_grid_is_read_by_rows_or_by_columns():
    assert grid([1, 2, 3, 4]) == [1, 2, 3, 4]
    assert grid([1, 3, 2, 4]) == [1, 2, 3, 4]
    assert grid([7, 8, 9, 10]) == [7, 8, 9, 10]


def test_a_title_well_beneath_two_columns_opens_the_next_part():
    left, right = two_columns(100)
    title = line("WATCH", 50, 190, 120, size=16.0)
    below = line("a title across both columns of the page", 50, 212, 550, size=16.0)
    regions = reading_regions([*left, *right, title, below])
    assert [item.text for region in regions for item in region] == texts([*left, *right, title, below])


def test_a_line_across_both_columns_separates_the_text_above_from_that_below():
    upper_left, upper_right = two_columns(100)
    across = line("a heading across both columns", 50, 160, 550)
    lower_left, lower_right = two_columns(190)
    regions = reading_regions([*upper_right, *lower_right, across, *lower_left, *upper_left])
    assert regions == [upper_left, upper_right, [across], lower_left, lower_right]


def test_columns_of_numbers_are_no_columns_of_text():
    rows = [[line("a label of some length", 50, y), line("1,234", 400, y)] for y in range(100, 160, 12)]
    assert len(reading_regions([cell for row in rows for cell in row])) == 1


def test_an_empty_page_has_no_regions():
    assert reading_regions([]) == []


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 700), st.integers(1, 40)), max_size=25))
def test_every_line_is_in_exactly_one_region(places):
    lines = [line(f"{index} " + "x" * length, x, y) for index, (x, y, length) in enumerate(places)]
    found = [item for region in reading_regions(lines) for item in region]
    assert sorted(texts(found)) == sorted(texts(lines))


# Rows and tables


def test_signs_and_markers_join_their_cells():
    cells = [line("•", 50, 100), line("Net sales", 70, 100), line("$", 200, 100), line("41", 240, 100, 250)]
    cells += [line("12", 300, 100, 310), line("%", 330, 100, 335)]
    assert [texts(row) for row in visual_rows(cells)] == [["• Net sales", "$ 41", "12%"]]


def table_lines():
    rows = [["(kWh)", "2022", "2023"], ["Room", "29", "31"], ["Hall", "9", "8"], ["Total", "$ 38 $", "39"]]
    xs = [50, 200, 300]
    return [line(cell, x, 100 + 14 * r) for r, row in enumerate(rows) for x, cell in zip(xs, row, strict=True) if cell]


def test_aligned_numbers_make_a_table_with_the_years_as_header():
    rows = visual_rows([line(PROSE + " above the table that goes on for a while and longer", 50, 60), *table_lines()])
    ((first, end, table),) = find_aligned_tables(rows)
    assert (first, end) == (1, 5)
    assert table.rows == (
        ("(kWh)", "2022", "2023"),
        ("Room", "29", "31"),
        ("Hall", "9", "8"),
        ("Total", "$ 38", "$ 39"),
    )


@pytest.mark.parametrize(
    "cells",
    [
        [["one line of text", "12"], ["another line", "13"]],  # two rows of two columns are too few
        [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]],  # ticks of an axis have no words
        [["left words", "right words"], ["left more", "right more"], ["left end", "right end"]],
    ],
)
def test_rows_that_are_no_table(cells):
    lines = [line(cell, 50 + 200 * c, 100 + 14 * r) for r, row in enumerate(cells) for c, cell in enumerate(row)]
    assert find_aligned_tables(visual_rows(lines)) == []


def test_a_label_row_within_a_table_stays_in_it():
    lines = [*table_lines(), line("Solar roof, of which", 50, 156), line("sold", 50, 170), line("3", 200, 170)]
    ((_, _, table),) = find_aligned_tables(visual_rows(lines))
    assert table.rows[-2:] == (("Solar roof, of which", "", ""), ("sold", "3", ""))


def test_the_caption_above_a_table_becomes_its_first_line_once():
    blocks = [block("Table 2: Use.", y0=80), block("| a |\n| --- |", kind="table", y0=110), block("After.", y0=150)]
    assert texts(with_table_captions(blocks)) == ["Table 2: Use.\n| a |\n| --- |", "After."]


TABLE = "| a |\n| --- |"


@pytest.mark.parametrize("text", ["The costs were:", "(In thousands)", "[표 1] 개정 비교"])
def test_a_short_text_that_introduces_the_table_below_it_stands_once(text):
    blocks = [block(text, y0=80), block(TABLE, kind="table", y0=110)]
    assert texts(with_table_captions(blocks)) == [f"{text}\n{TABLE}"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Use by year", "heading"),
        ("Use by year", "text"),
        ("We use less.", "text"),
        ("He called it “a mistake.”", "text"),
        ("It fell (see section 4.)", "text"),
        ("1. Bring the boat ashore; it must be dry", "text"),
        ("Revenue grew in the year and costs, which are shown in the table below,", "text"),
    ],
)
def test_a_heading_or_another_text_above_a_table_is_repeated_but_kept(text, kind):
    blocks = [block(text, kind=kind, y0=80), block(TABLE, kind="table", y0=110)]
    assert texts(with_table_captions(blocks)) == [text, f"{text}\n{TABLE}"]


def test_a_text_in_the_column_beside_a_table_is_kept():
    blocks = [block("(In thousands)", region=0, y0=105), block(TABLE, region=1, kind="table", y0=100)]
    assert "(In thousands)" in texts(with_table_captions(blocks))


def test_a_text_that_leads_to_a_table_goes_into_it_and_stays_where_the_table_has_a_title():
    blocks = [block("It was as follows:", y0=80), block("| a |\n| --- |", kind="table", y0=110)]
    assert texts(with_table_captions(blocks)) == ["It was as follows:\n| a |\n| --- |"]
    titled = [block("It was as follows:", y0=80), block("| a |\n| --- |", kind="table", y0=110)]
    titled[1].metadata["_title"] = "Use"
    assert texts(with_table_captions(titled)) == ["It was as follows:", "Use\n| a |\n| --- |"]


# Paragraphs


def test_indents_begin_paragraphs():
    lines = [line("x" * 40, 50, 100, 290), line("y" * 40, 50, 112, 290), line("z" * 38, 62, 124, 290)]
    assert paragraphs([*lines, line("w" * 40, 50, 136, 290)]) == ["x" * 40 + " " + "y" * 40, "z" * 38 + " " + "w" * 40]


def test_wide_steps_and_sizes_begin_paragraphs():
    lines = [line("Title", 50, 80, size=16.0), line("one", 50, 110, 290), line("two", 50, 122, 290)]
    assert paragraphs([*lines, line("three", 50, 150, 290)]) == ["Title", "one two", "three"]


def test_list_items_hang_together():
    lines = [line("• the first item of", 50, 100, 290), line("the list", 60, 112, 200), line("• second", 50, 124, 290)]
    assert paragraphs(lines) == ["• the first item of the list", "• second"]


def test_a_short_line_that_ends_a_sentence_ends_the_paragraph():
    lines = [line("It goes on to the edge", 50, 100, 290), line("and ends.", 50, 112, 120), line("Next", 50, 124, 290)]
    assert paragraphs(lines) == ["It goes on to the edge and ends.", "Next"]


def test_hanging_references_begin_at_the_outdent():
    lines = [line("Wu, A. A title that is", 50, 100, 290), line("long. 2021.", 65, 112, 200)]
    lines += [line("Xi, B. Another title that", 50, 124, 290), line("is long as well and", 65, 136, 290)]
    lines += [line("ends here.", 65, 148, 290)]
    assert len(paragraphs(lines)) == 2


def test_labels_of_a_figure_do_not_run_into_its_caption():
    lines = [line("0 5 10 Load (kW)", 50, 100, 290), line("Figure 2: Load by the hour.", 50, 112, 290)]
    assert paragraphs(lines) == ["0 5 10 Load (kW)", "Figure 2: Load by the hour."]


def test_a_figure_named_within_a_sentence_does_not_part_it():
    lines = [line("as one may see from the long course of the year in", 50, 100, 290)]
    assert len(paragraphs([*lines, line("Figure 2. It shows", 50, 112, 290)])) == 1


# Continuation over columns and pages

OPEN = "The loop moves water that returns to the"


def test_a_paragraph_goes_on_across_pages_and_keeps_its_place():
    joined = join_continued([block(OPEN, 1, 1), block("sea at once.", 2, 2)], NO_WORDS)
    assert texts(joined) == [f"{OPEN} sea at once."]
    assert joined[0].page == 1
    assert joined[0].metadata["page_starts"] == [[len(OPEN) + 1, 2]]


def test_tables_and_captions_between_the_halves_stay():
    blocks = [block(OPEN, 1, 1), block("| a |", 1, 1, "table"), block("Figure 2: Sea.", 2, 2), block("sea.", 2, 2)]
    assert texts(join_continued(blocks, NO_WORDS)) == [f"{OPEN} sea.", "| a |", "Figure 2: Sea."]


@pytest.mark.parametrize(
    "after",
    [
        block("Sea water is cold.", 2, 2, size=10.0),
        block("sea", 1, 1),
        block("sea", 3, 3),
        block("sea in bigger print", 2, 2, size=14.0),
        block("sea", 2, 2, "heading"),
    ],
    ids=["capital after a whole word", "same region", "a page apart", "another size", "heading"],
)
def test_other_texts_are_not_joined(after):
    before = block("The loop moves water that returns to Palanga", 1, 1)
    assert len(join_continued([before, after], NO_WORDS)) == 2


# Furniture


def body_lines(count=20):
    return [line(f"{chr(97 + n)} {PROSE}", 50, 120 + 14 * n) for n in range(count)]


def test_running_headers_and_numbered_footers_go_from_every_page():
    pages = [
        page([line("Energy Report", 50, 60), *body_lines(), line(f"Page {n} of 3", 280, 720)], n) for n in (1, 2, 3)
    ]
    assert [texts(cleaned.lines) for cleaned in without_furniture(pages)] == [texts(body_lines())] * 3


def test_the_head_of_a_table_on_a_few_of_many_pages_stays():
    pages = [page([line("Years ended" if n < 4 else f"x{n} {PROSE}", 50, 60), *body_lines()], n) for n in range(60)]
    assert texts(without_furniture(pages)[2].lines)[0] == "Years ended"


def test_equal_table_rows_with_amounts_at_the_edge_stay():
    pages = [page([*body_lines(), line(f"Total {n},250 kWh", 50, 720)], n) for n in (1, 2, 3)]
    assert texts(without_furniture(pages)[1].lines)[-1] == "Total 2,250 kWh"


def test_a_running_date_with_the_page_number_at_its_end_is_removed():
    pages = [page([line(f"Vol. 85, No. 152, August 6, 2020 4770{n}", 50, 60), *body_lines()], n) for n in (3, 5, 7)]
    assert [texts(cleaned.lines) for cleaned in without_furniture(pages)] == [texts(body_lines())] * 3


@pytest.mark.parametrize("text", ["12", "- 3 -", "xiv"])
def test_a_lone_page_number_is_removed(text):
    assert texts(without_furniture([page([line(text, 280, 60), *body_lines()])])[0].lines) == texts(body_lines())


def test_a_page_number_beside_a_title_in_capitals_is_removed():
    header = [line("400", 50, 60), line("BRITISH HUSBANDRY", 250, 60)]
    assert texts(without_furniture([page([*header, *body_lines()])])[0].lines) == texts(body_lines())


def test_a_page_of_which_nothing_would_be_left_stays_whole():
    pages = [page([line(f"Slide {number}", 50, 60)], number) for number in (1, 2, 3)]
    assert without_furniture(pages) == pages


@pytest.mark.parametrize("text", ["In 2023 the room drew 12", "A title", "ENERGY REPORT 2023", "1 INTRODUCTION"])
def test_a_lone_first_line_stays(text):
    assert texts(without_furniture([page([line(text, 50, 60), *body_lines()])])[0].lines)[0] == text


def test_stamps_in_the_margins_are_removed():
    stamp = line("Downloaded from example.org", 50, 20)
    aside = Line("arXiv:2101.00001", Box(10, 200, 25, 500), 15.0, False, 9)
    cleaned = without_furniture([page([stamp, *body_lines()], asides=[aside])])[0]
    assert (texts(cleaned.lines), cleaned.asides) == (texts(body_lines()), ())


# Headings


def marked(blocks, outline=None):
    mark_headings(blocks, 10.0, outline or {})
    return [(item.text, item.level) for item in blocks if item.kind == "heading"]


def test_size_and_weight_rank_the_headings():
    blocks = [block("A report", size=16.0), block("1 Start", size=12.0), block("Detail", bold=True)]
    assert marked([*blocks, *(block("Some body text.") for _ in range(4))]) == [
        ("A report", 1),
        ("1 Start", 2),
        ("Detail", 3),
    ]


@pytest.mark.parametrize(
    "text", ["Figure 2: A large caption", "ends as a sentence does.", "12,345", "• item", "x" * 200]
)
def test_large_texts_that_are_no_headings(text):
    assert marked([block(text, size=14.0), block("Body text that is plain.")]) == []


def test_the_outline_names_headings_and_their_levels():
    blocks = [block("Machine  Room", page_number=3), block("Body text that is plain.")]
    assert marked(blocks, {3: {"machineroom": 2}}) == [("Machine  Room", 2)]


def test_the_body_size_is_that_of_most_characters():
    lines = [line("Large title of the page", 0, 0, size=20.0), *(line(PROSE, 0, 20, size=9.5) for _ in range(5))]
    assert body_size([page(lines)]) == 9.5
    assert body_size([]) == 10.0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Elastic Stop Nut", "heading"),
        ("Critical Audit Matter of the Year", "heading"),
        ("see the note beneath", "text"),
        ("Under the terms of this loan", "text"),
        ("Paris, May 1871", "text"),
    ],
)
def test_a_slanted_line_in_title_case_is_a_heading(text, kind):
    blocks = [block(text, italic=True), block(PROSE, y0=140.0, lines=3)]
    mark_headings(blocks, 10.0, {})
    assert [item.kind for item in blocks] == [kind, "text"]


def test_a_line_of_small_letters_is_no_heading_though_its_size_wavers():
    blocks = [block("preference to what the yard gives", size=11.5), block(PROSE, y0=140.0)]
    mark_headings(blocks, 10.0, {})
    assert [item.kind for item in blocks] == ["text", "text"]


def test_a_footnote_is_no_heading():
    note = block("A Note in Bold", bold=True)
    note.metadata["content_type"] = "footnote"
    mark_headings([note, block(PROSE), block(PROSE)], 10.0, {})
    assert note.kind == "text"


# Images and boxes


@pytest.mark.parametrize("text", ["Figure 3: x", "Fig. 2a. X", "Table II. Y", "TABLE 4 Results", "Abb. 1: z"])
def test_captions_are_known_by_their_number(text):
    assert CAPTION.match(text)


@pytest.mark.parametrize("text", ["Figure 3 shows the loop", "Table 1 gives numbers", "Figures differ"])
def test_sentences_about_figures_are_no_captions(text):
    assert not CAPTION.match(text)


@given(st.integers(0, 3), st.tuples(*[st.integers(0, 100)] * 4))
def test_boxes_come_back_from_every_turn(turn, corners):
    x0, y0, x1, y1 = corners
    box = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    size = (200.0, 300.0)
    turned = size if turn % 2 == 0 else size[::-1]
    assert page_box(upright_box(box, turn, size), PageText(1, *turned, (), (), turn)) == list(box)
