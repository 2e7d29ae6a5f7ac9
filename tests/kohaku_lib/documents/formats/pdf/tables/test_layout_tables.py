"""The grids of the layout engine are filled with the words of the page."""

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.pdf.layout_engine import LayoutRegion
from kohaku_lib.documents.formats.pdf.tables.layout_tables import layout_tables
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.page_text import Box

BOX = Box(0, 0, 300, 60)
GRID = LayoutRegion("table", BOX, (0, 20, 40, 60), (0, 100, 200, 300))


def word(text, x, y, line=0, index=0, width=20.0):
    return (x, y + 5, x + width, y + 15, text, 0, line, index)


def rows(words, region=GRID, ruled=()):
    return [table.rows for table in layout_tables([region], words, list(ruled))]


HEAD = [word("Model", 5, 0), word("Watts", 110, 0), word("Litres", 210, 0)]


def test_a_word_goes_where_its_middle_lies():
    body = [word("small", 5, 20, 1), word("45", 185, 20, 2, width=28.0), word("7", 205, 20, 3)]
    assert rows([*HEAD, *body]) == [(("Model", "Watts", "Litres"), ("small", "45", "7"))]


def test_words_of_a_cell_are_in_reading_order():
    body = [word("one", 40, 20, 1, 1), word("large", 5, 20, 1, 0), word("260", 110, 20, 2), word("9", 210, 20, 3)]
    assert rows([*HEAD, *body])[0][1] == ("large one", "260", "9")


def test_two_lines_of_a_cell_are_joined():
    body = [word("large", 5, 20, 1), word("one", 5, 26, 2), word("260", 110, 20, 3)]
    assert rows([*HEAD, *body])[0][1] == ("large one", "260", "")


def test_words_outside_the_grid_are_no_part_of_it():
    stray = [word("above", 5, -30, 8), word("beside", 320, 20, 9), word("small", 5, 20, 1), word("45", 110, 20, 2)]
    assert rows([*HEAD, *stray]) == [(("Model", "Watts", "Litres"), ("small", "45", ""))]


def test_a_label_that_runs_on_stays_whole():
    wide = LayoutRegion("table", Box(0, 0, 400, 40), (0, 20, 40), (0, 100, 200, 300, 400))
    head = [word("a", 5, 0), word("b", 110, 0, 1), word("c", 210, 0, 2), word("d", 310, 0, 3)]
    label = [word("Reactor", 60, 20, 4, 0, width=38.0), word("Lab", 101, 20, 4, 1)]
    assert rows([*head, *label], wide) == [(("a", "b", "c", "d"), ("Reactor Lab", "", "", ""))]


def test_heads_that_touch_stay_apart_where_most_cells_are_filled():
    heads = [word("Procedure", 60, 0, 0, 0, width=38.0), word("Completion", 101, 0, 0, 1, width=90.0)]
    body = [word("0.8", 60, 20, 1), word("0.2", 110, 20, 2)]
    assert rows([*heads, *body]) == [(("Procedure", "Completion"), ("0.8", "0.2"))]


def test_labels_of_two_lines_are_two():
    wide = LayoutRegion("table", Box(0, 0, 400, 40), (0, 20, 40), (0, 100, 200, 300, 400))
    head = [word(letter, 10 + 100 * i, 0, i) for i, letter in enumerate("abcd")]
    label = [word("Plant", 60, 20, 4, 0, width=38.0), word("Rules", 101, 20, 5, 0)]
    assert rows([*head, *label], wide)[0][1] == ("Plant", "Rules", "", "")


def test_signs_stay_with_their_numbers():
    share = [
        word("wind", 5, 20, 1),
        word("4.39", 170, 20, 2),
        word("%", 201, 20, 3, width=8.0),
        word("5.13", 215, 20, 4),
    ]
    assert rows([*HEAD, *share])[0][1] == ("wind", "4.39%", "5.13")
    price = [word("wind", 5, 20, 1), word("45", 110, 20, 2), word("$", 180, 20, 3, width=8.0), word("7", 205, 20, 4)]
    assert rows([*HEAD, *price])[0][1] == ("wind", "45", "$ 7")


def test_signs_without_a_number_stay_where_they_are():
    units = [word("share", 5, 20, 1), word("%", 110, 20, 2), word("$", 210, 20, 3)]
    assert rows([*HEAD, *units])[0][1] == ("share", "%", "$")


def test_empty_rows_and_columns_are_dropped():
    body = [word("small", 5, 40, 1), word("7", 210, 40, 3)]
    assert rows([HEAD[0], HEAD[2], *body]) == [(("Model", "Litres"), ("small", "7"))]


def test_a_single_row_or_column_is_no_table():
    assert rows(HEAD) == []
    assert rows([word("a", 5, 0), word("b", 5, 20), word("c", 5, 40)]) == []


def test_a_nearly_empty_grid_is_no_table():
    edges = tuple(20.0 * i for i in range(11))
    sparse = LayoutRegion("table", Box(0, 0, 200, 200), edges, edges)
    words = [word(str(i), 20.0 * i + 1, 20.0 * i, i, width=8.0) for i in range(10)]
    assert rows(words, sparse) == []


def test_a_table_drawn_with_rules_is_not_found_again():
    body = [word("small", 5, 20, 1), word("45", 110, 20, 2)]
    assert rows([*HEAD, *body], ruled=[PageTable((("x", "y"), ("1", "2")), Box(10, 5, 290, 55))]) == []
    assert len(rows([*HEAD, *body], ruled=[PageTable((("x", "y"), ("1", "2")), Box(0, 50, 300, 120))])) == 1


def test_a_sound_table_of_the_lines_goes_before_a_grid_that_it_holds():
    words = [*HEAD, word("small", 5, 20, 1), word("45", 110, 20, 2)]
    assert layout_tables([GRID], words, [], [Box(0, 5, 300, 60)]) == []
    for part in (Box(0, 20, 300, 60), Box(100, 0, 300, 60)):
        assert len(layout_tables([GRID], words, [], [part])) == 1


def test_other_regions_are_no_tables():
    assert rows(HEAD, LayoutRegion("picture", BOX)) == []
    assert rows(HEAD, LayoutRegion("table", BOX)) == []


@given(st.lists(st.tuples(st.integers(0, 279), st.integers(0, 44), st.sampled_from("abcd")), max_size=12))
def test_no_word_is_lost_or_doubled(places):
    words = [word(letter, float(x), float(y), index) for index, (x, y, letter) in enumerate(places)]
    for grid in rows(words):
        found = sorted(letter for row in grid for cell in row for letter in cell.split())
        assert found == sorted(letter for _, _, letter in places)
