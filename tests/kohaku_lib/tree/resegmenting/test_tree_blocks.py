"""Lines become blocks: paragraphs go on behind floats and page ends, tables stay with their captions."""

from kohaku_lib.tree.resegmenting.blocks import blocks
from kohaku_lib.tree.resegmenting.line_kinds import Kind, is_strong_row, line_kinds
from kohaku_lib.tree.resegmenting.page_lines import PageLine

FULL = "The energy that training draws is measured at the wall and"
LAST = "then multiplied by the factor."
TABLE = ("Model Energy Cost", "GPT-3 1,287 552", "Gopher 1,066 380", "OPT 324 75")


def found(*texts, page=1):
    lines = [text if isinstance(text, PageLine) else PageLine(text, page) for text in texts]
    return [(block.kind, [line.text for line in block.lines]) for block in blocks(lines)]


def kinds(*texts):
    return line_kinds([PageLine(text, 1) for text in texts])


def test_a_short_last_line_ends_a_paragraph():
    assert found(FULL, LAST, FULL, LAST) == [("body", [FULL, LAST]), ("body", [FULL, LAST])]


def test_a_full_line_that_ends_a_sentence_does_not():
    full = "The energy that training draws is measured at each wall."
    assert found(FULL, full, FULL, LAST) == [("body", [FULL, full, FULL, LAST])]


def test_a_paragraph_goes_on_over_the_end_of_a_page():
    lines = [PageLine(FULL, 1), PageLine(LAST, 2)]
    assert found(*lines) == [("body", [FULL, LAST])]


def test_a_whole_sentence_at_the_end_of_a_page_ends_the_paragraph():
    lines = [PageLine(FULL, 1), PageLine(LAST, 1), PageLine(FULL, 2)]
    assert found(*lines) == [("body", [FULL, LAST]), ("body", [FULL])]


def test_a_paragraph_goes_on_behind_a_table():
    assert found(FULL, "Table 1: Energy by model.", *TABLE, LAST) == [
        ("body", [FULL, LAST]),
        ("table", ["Table 1: Energy by model.", *TABLE]),
    ]


def test_a_caption_below_its_rows_joins_them():
    assert found(FULL, LAST, *TABLE, "Figure 2: Energy by model.", FULL) == [
        ("body", [FULL, LAST]),
        ("figure", [*TABLE, "Figure 2: Energy by model."]),
        ("body", [FULL]),
    ]


def test_a_caption_of_several_lines_ends_with_its_short_last_line():
    caption = (
        "Figure 3: The energy that training draws over the months",
        "and the years since then, in",
        "megawatt hours.",
    )
    assert found(FULL, LAST, *caption, FULL, LAST) == [
        ("body", [FULL, LAST]),
        ("caption", list(caption)),
        ("body", [FULL, LAST]),
    ]


def test_a_footnote_does_not_break_the_paragraph_above_it():
    note = "1Measured at the wall of the data centre."
    assert found(FULL, note, LAST) == [("body", [FULL, LAST]), ("footnote", [note])]


def test_list_items_begin_blocks():
    items = ("• The first item of the list", "• The second item of the list")
    assert found(FULL + ":", *items) == [("body", [FULL + ":"]), ("item", [items[0]]), ("item", [items[1]])]


def test_an_item_keeps_its_further_lines():
    assert found("• The first item goes on over the end of the line", "and ends here.") == [
        ("item", ["• The first item goes on over the end of the line", "and ends here."])
    ]


def test_a_heading_ends_the_paragraph():
    assert found(FULL, LAST, "1 Results", FULL) == [
        ("body", [FULL, LAST]),
        ("heading", ["1 Results"]),
        ("body", [FULL]),
    ]


def test_an_indented_line_begins_a_paragraph():
    assert found(PageLine(FULL, 1), PageLine("In this work we measure.", 1, set_off=True)) == [
        ("body", [FULL]),
        ("body", ["In this work we measure."]),
    ]


def test_numbered_entries_of_a_bibliography_are_blocks():
    entries = ("[1] A. Bee and C. Dee. 2020. On the hives of the north, and", "of the south. Journal of Bees 3.")
    other = "[2] E. Eff. 2021. On combs of wax. Journal of Bees 4, pp. 1-9."
    assert found("References", *entries, other) == [
        ("heading", ["References"]),
        ("entry", list(entries)),
        ("entry", [other]),
    ]


def test_entries_by_author_are_blocks():
    first = ("Bee, A. and Dee, C. On the hives of the north and of the", "south. Journal of Bees, 2020.")
    second = "Eff, E. On combs of wax. Journal of Bees, 2021, pages 1-9."
    assert found("References", *first, second) == [
        ("heading", ["References"]),
        ("entry", list(first)),
        ("entry", [second]),
    ]


def test_two_rows_are_no_table():
    assert Kind.ROW not in kinds(FULL, "GPT-3 1,287 552", "OPT 324 75", FULL)


def test_a_narrow_column_of_text_is_no_table():
    narrow = ("The overarching purpose", "of the study is to give", "a connected set of views", "of the whole field.")
    assert Kind.ROW not in kinds(FULL, FULL, *narrow)


def test_labels_of_a_plot_are_rows():
    assert kinds(FULL, "D-1", "D-2", "T4 Count", "200", FULL) == [Kind.BODY, *[Kind.ROW] * 4, Kind.BODY]


def test_captions_of_many_forms():
    for text in ("Table 3: Energy", "Figure 2. Power", "Fig. 4 | Cost", "TABLE IV", "Figure A1: More"):
        assert kinds(text) == [Kind.CAPTION]


def test_a_sentence_about_a_table_is_no_caption():
    assert kinds("Table 3 lists the energy of the models") == [Kind.BODY]


def test_a_row_ends_in_a_figure_or_is_full_of_them():
    assert is_strong_row("Air travel, one passenger 1984", 60.0)
    assert is_strong_row("0.21 0.13 0.21 0.13", 60.0)
    assert not is_strong_row("They found, as in Wu et al. (2021)", 60.0)
