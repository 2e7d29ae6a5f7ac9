"""Drop caps, line numbers, right-to-left rows and shadows: what happens to lines before they become paragraphs."""

import pytest

from kohaku_lib.documents.formats.pdf.text.drop_caps import with_drop_caps
from kohaku_lib.documents.formats.pdf.text.hyphens import join_with_offsets, vocabulary_of
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText
from kohaku_lib.documents.formats.pdf.text.paragraphs import paragraph_blocks
from kohaku_lib.documents.formats.pdf.text.right_to_left import join_runs
from kohaku_lib.documents.formats.pdf.text.running_headers import without_furniture, without_line_numbers

NO_WORDS = vocabulary_of([])
PROSE = "a line of prose that is wide enough to be one"


def line(text, x0, y0, x1=None, size=10.0, bold=False, **rest):
    return Line(text, Box(x0, y0, x1 if x1 is not None else x0 + 5.0 * len(text), y0 + size), size, bold, 0, **rest)


def page(lines):
    return PageText(1, 600.0, 800.0, tuple(lines))


def texts(lines):
    return [item.text for item in lines]


# Drop caps


def beside(first, left=75.0):
    return [line(first, left, 100), line("second line of it", left, 112), line("third, at the edge", 50, 124)]


@pytest.mark.parametrize(
    ("cap", "first", "words", "text"),
    [
        ("O", "ver the past decades", "over", "Over the past decades"),
        ("A", "dog barked", "dog", "A dog barked"),
        ("A", "fter the war", "after", "After the war"),
        ("“T", "he end", "", "“The end"),
    ],
)
def test_an_initial_goes_back_to_the_word_it_begins(cap, first, words, text):
    lines = with_drop_caps([line(cap, 50, 98, 72, size=26.0), *beside(first)], vocabulary_of([words]))
    assert texts(lines) == [text, "second line of it", "third, at the edge"]


def test_lines_beside_an_initial_do_not_look_indented():
    lines = with_drop_caps([line("O", 50, 98, 72, size=26.0), *beside("ver the past")], NO_WORDS)
    assert [item.box.x0 for item in lines] == [50, 50, 50]
    assert [item.box.y0 for item in lines] == [100, 112, 124]


@pytest.mark.parametrize(
    "cap",
    [
        line("O", 50, 98, 72, size=14.0),
        line("1", 50, 98, 72, size=26.0),
        line("Of", 50, 98, 72, size=26.0),
        line("A.", 50, 98, 72, size=26.0),
        line("O", 300, 98, 322, size=26.0),
    ],
    ids=["small", "number", "word", "point", "apart"],
)
def test_other_large_letters_stay_lines_of_their_own(cap):
    lines = [cap, *beside("ver the past")]
    assert with_drop_caps(lines, NO_WORDS) == lines


def test_a_large_letter_beside_one_line_is_no_initial():
    lines = [line("B", 50, 95, 72, size=26.0), line("asement plan of the house", 75, 100)]
    assert with_drop_caps(lines, NO_WORDS) == lines


# Line numbers


def numbered(count=12, step=1, first=1, x1=60.0):
    numbers = [line(str(first + step * row), x1 - 10, 100 + 20 * step * row, x1) for row in range(count)]
    prose = [line(f"{PROSE} {row}", 80, 100 + 20 * row, 500) for row in range(step * (count - 1) + 1)]
    return numbers, prose


@pytest.mark.parametrize(("step", "first"), [(1, 1), (1, 14), (5, 5)])
def test_line_numbers_are_removed(step, first):
    numbers, prose = numbered(9, step, first)
    assert texts(without_line_numbers(page([*numbers, *prose])).lines) == texts(prose)


def test_numbers_right_of_the_text_go_too():
    numbers, prose = numbered(x1=530.0)
    assert texts(without_line_numbers(page([*numbers, *prose])).lines) == texts(prose)


def is_unchanged(lines):
    whole = page(lines)
    return without_line_numbers(whole) is whole


def test_too_few_numbers_stay():
    numbers, prose = numbered(7)
    assert is_unchanged([*numbers, *prose])


def test_a_column_of_figures_stays():
    numbers, prose = numbered()
    figures = [line(str(value), 40, item.box.y0, 60) for value, item in zip((7, 3, 99, 4) * 3, numbers, strict=True)]
    assert is_unchanged([*figures, *prose])


def test_ranks_before_the_cells_of_a_table_stay():
    numbers, names = numbered()
    values = [line("17", 510, item.box.y0, 540) for item in names]
    assert is_unchanged([*numbers, *names, *values])


def test_a_numbered_list_on_a_small_part_of_the_page_stays():
    numbers, prose = numbered(8)
    rest = [line(PROSE, 80, 400 + 20 * row, 500) for row in range(18)]
    assert is_unchanged([*numbers, *prose, *rest])


def test_numbers_amid_the_text_stay():
    numbers, prose = numbered(x1=300.0)
    assert is_unchanged([*numbers, *prose])


def test_a_page_of_numbers_alone_stays():
    assert is_unchanged(numbered()[0])


def test_line_numbers_are_furniture():
    numbers, prose = numbered()
    assert texts(without_furniture([page([*numbers, *prose])])[0].lines) == texts(prose)


def test_a_short_foot_with_a_number_far_beneath_the_text_of_the_only_page_stays():
    prose = [line(PROSE, 80, 100 + 20 * row, 500) for row in range(5)]
    foot = line("Room 1", 280, 750)
    assert texts(without_furniture([page([*prose, foot])])[0].lines) == [*texts(prose), "Room 1"]


# Right to left


def test_pieces_of_a_row_that_runs_left_are_read_from_the_right():
    right, middle, left = line("שלום", 400, 100, 500), line("R2", 380, 100, 398), line("עולם", 300, 100, 376)
    assert texts(join_runs([left, middle, right])) == ["שלום R2 עולם"]


def test_rows_that_run_right_and_far_pieces_stay_as_they_are():
    latin = [line("one", 50, 50), line("two", 70, 50)]
    far = [line("שלום", 400, 100, 500), line("עולם", 100, 100, 200)]
    assert texts(join_runs([*latin, *far])) == ["one", "two", "שלום", "עולם"]
    assert join_runs(latin) == latin


def test_paragraphs_of_a_script_that_runs_left_begin_at_the_right():
    rows = [line("א" * 60, 50, 100, 550), line("ב" * 20 + ".", 450, 112, 550), line("ג" * 60, 50, 124, 550)]
    assert len(paragraph_blocks(rows, 1, 0, NO_WORDS)) == 2


# Paragraphs


def paragraphs(lines):
    return texts(paragraph_blocks(lines, 1, 0, NO_WORDS))


def test_a_label_in_bold_does_not_part_the_paragraph_it_begins():
    first = line("CONTACT: Ian of the office at the", 50, 100, 280, size=8.5, bold=True, mixed=True)
    assert paragraphs([first, line("Manager in the north of the town", 50, 112, 300)]) == [
        "CONTACT: Ian of the office at the Manager in the north of the town"
    ]


def test_a_slanted_title_is_apart_from_the_text_beneath_it():
    title = line("Elastic Stop Nut", 50, 100, 130, italic=True)
    assert paragraphs([title, line("The elastic stop nut is a standard nut", 50, 112, 300)])[0] == "Elastic Stop Nut"


def test_slanted_words_that_go_on_in_the_next_line_stay_with_it():
    rows = [line("from the book", 50, 100, 130, italic=True), line("of hours in the abbey of the town", 50, 112, 300)]
    assert len(paragraphs(rows)) == 1


def test_a_label_after_a_full_line_begins_a_paragraph():
    rows = [line("These are unsafe conditions on the product.", 50, 100, 300)]
    rows.append(line("DATES: The office must have comments by May", 50, 112, 300, mixed=True))
    assert len(paragraphs(rows)) == 2


def test_a_raised_mark_begins_a_paragraph():
    rows = [line("1 The first note is as wide as the column", 50, 100, 300, raised=True)]
    rows.append(line("2 the second", 50, 112, 200, raised=True))
    assert len(paragraphs(rows)) == 2


def test_every_entry_of_a_table_of_contents_is_a_paragraph():
    rows = [line(f"Chapter {word} ... {page}", 50, 100 + 12 * page, 500) for page, word in enumerate(("One", "Two"), 1)]
    assert paragraphs(rows) == ["Chapter One ... 1", "Chapter Two ... 2"]


def test_the_centred_lines_of_a_title_are_one():
    body = [line(PROSE, 50, 200 + 12 * row, 550) for row in range(6)]
    title = [
        line("A long title that needs more", 100, 100, 500, size=20.0),
        line("than a line", 250, 124, 350, size=20.0),
    ]
    assert paragraphs([*title, *body])[0] == "A long title that needs more than a line"


def test_a_division_begins_a_heading_of_its_own():
    rows = [line("Notes to the Statements", 50, 100, bold=True), line("NOTE 1. Policies", 50, 112, bold=True)]
    assert paragraphs(rows) == ["Notes to the Statements", "NOTE 1. Policies"]


def test_places_say_where_each_line_of_a_paragraph_begins():
    rows = [line("energy of environ-", 50, 100, 300), line("mental cost", 50, 112, 200)]
    (block,) = paragraph_blocks(rows, 3, 0, vocabulary_of(["environmental"]))
    assert block.text == "energy of environmental cost"
    assert [(place.offset, place.page, place.box.y0) for place in block.places] == [(0, 3, 100), (17, 3, 112)]


@pytest.mark.parametrize(
    ("lines", "text", "offsets"),
    [
        (["one", "two"], "one two", [0, 4]),
        (["pages 3–", "9"], "pages 3–9", [0, 8]),
        (["a soft\u00adhyphen", "b"], "a softhyphen b", [0, 13]),
        (["won\u00ad", "der"], "wonder", [0, 3]),
        (["only"], "only", [0]),
    ],
)
def test_offsets_follow_what_joining_does(lines, text, offsets):
    assert join_with_offsets(lines, vocabulary_of([])) == (text, offsets)
