"""The steps by which tables are read: pieces of lines, rules, columns, heads, wrapped rows, contents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.tables.aligned import BodyRow, find_aligned_tables, join_wrapped_rows
from kohaku_lib.documents.formats.pdf.tables.captions import table_block
from kohaku_lib.documents.formats.pdf.tables.rows import visual_rows
from kohaku_lib.documents.formats.pdf.tables.rules import page_rules, ruled_spans
from kohaku_lib.documents.formats.pdf.tables.table_columns import Columns, columns_of, place_row
from kohaku_lib.documents.formats.pdf.tables.table_heads import merge_headers
from kohaku_lib.documents.formats.pdf.tables.table_joining import join_tables
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable, is_amount, is_number
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText
from kohaku_lib.documents.formats.pdf.text.pieces import may_contain_cells, split_at_gaps, words_by_line


def line(text, x0, y0, width=None, size=10.0, bold=False):
    return Line(text, Box(x0, y0, x0 + (width or 5 * len(text)), y0 + size), size, bold, 0)


def word(text, x0, x1, place=0):
    return (x0, 0.0, x1, 10.0, text, 0, 0, place)


def test_a_line_is_cut_before_currency_signs_and_at_wide_gaps_beside_numbers():
    words = [word("(34)", 0, 20), word("$", 22, 27), word("12,668", 40, 70), word("161", 90, 105), word("$", 107, 112)]
    [held] = words_by_line(words, {(0, 0)}).values()
    assert words_by_line(words, {(0, 1)}) == {}
    assert [piece[4] for piece in split_at_gaps(held, 10)] == ["(34)", "$", "12,668", "161", "$"]


def test_words_and_near_numbers_are_not_parted():
    held = [word(text, 30 * at, 30 * at + 26)[:5] for at, text in enumerate(("In", "2022", "and", "2023"))]
    assert [piece[4] for piece in split_at_gaps(held, 10)] == ["In 2022 and 2023"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("$ 10,742 $", True), ("— —", False), ("398 — 2", True), ("Chapter 4", False), ("a b", False)],
)
def test_lines_that_may_contain_cells(text, expected):
    assert may_contain_cells(text) is expected


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 30)), min_size=1, max_size=8))
def test_pieces_lose_no_word(gaps):
    x, held = 0, []
    for at, (gap, width) in enumerate(gaps):
        held.append((x + gap, 0.0, x + gap + width, 10.0, str(at)))
        x += gap + width
    assert " ".join(piece[4] for piece in split_at_gaps(held, 10)) == " ".join(str(at) for at in range(len(gaps)))


def test_rules_are_thin_boxes_and_the_sides_of_frames():
    page = PageText(1, 600, 800, (line("text", 0, 0),))
    drawings = [
        {"type": "s", "items": [("l", (10, 50), (90, 50))]},
        {"type": "f", "items": [("re", (10, 60, 90, 60.5))]},
        {"type": "s", "items": [("re", (10, 70, 90, 170))]},
        {"type": "f", "items": [("re", (10, 200, 90, 300)), ("c", (0, 0), (1, 1), (2, 2), (3, 3))]},
    ]
    assert len(page_rules(drawings, page)) == 6
    assert page_rules(drawings * 1000, page) == ()
    assert page_rules(drawings, PageText(1, 600, 800, (line("text", 0, 0),), (), 1)) == ()


def test_rules_of_one_height_are_joined_where_they_touch():
    rules = [Box(0, 10, 20, 10.4), Box(20.5, 10.2, 40, 10.6), Box(60, 10, 80, 10.4), Box(0, 30, 80, 30.5)]
    assert list(ruled_spans(rules, 0, 20).values()) == [[(0, 40), (60, 80)]]


@pytest.mark.parametrize(
    ("text", "number", "amount"),
    [
        ("$ (27)", True, True),
        ("2021", True, False),
        ("4.5 %", True, True),
        ("0.87 0.20", False, False),
        ("Total", False, False),
    ],
)
def test_numbers_and_amounts(text, number, amount):
    assert (is_number(text), is_amount(text)) == (number, amount)


ROWS = [
    [line("Sales", 50, 100), line("12", 200, 100), line("Level 1", 250, 100), line("15", 350, 100)],
    [line("Costs", 50, 112), line("7", 205, 112), line("Level 2", 250, 112), line("9", 355, 112)],
]


def test_words_between_numbers_are_a_column_of_their_own():
    columns = columns_of(ROWS, (), Box(50, 100, 365, 122))
    assert [place_row(row, columns) for row in ROWS] == [
        ["Sales", "12", "Level 1", "15"],
        ["Costs", "7", "Level 2", "9"],
    ]


def test_rules_beneath_the_heads_say_where_columns_reach():
    rules = [Box(50, 95, 180, 95.5), Box(190, 95, 240, 95.5), Box(245, 95, 330, 95.5), Box(340, 95, 370, 95.5)]
    columns = columns_of(ROWS, rules, Box(50, 100, 365, 122))
    assert columns.spans[1:] == ((190, 240), (245, 330), (340, 370))


COLUMNS = Columns(((50, 51), (190, 240), (250, 300), (310, 360), (370, 420)))


def test_heads_over_equal_groups_of_columns_are_repeated():
    rows = [
        [line("2023", 235, 80), line("2022", 355, 80)],
        [
            line("(EUR)", 50, 92),
            *(
                line(text, x, 92)
                for text, x in (
                    (
                        "Net",
                        207,
                    ),
                    ("All", 267),
                    ("Net", 327),
                    ("All", 387),
                )
            ),
        ],
    ]
    assert merge_headers(rows, COLUMNS) == ["(EUR)", "2023 Net", "2023 All", "2022 Net", "2022 All"]


def test_a_header_covers_the_columns_that_its_rule_spans():
    rows = [[line("Assets", 230, 80)], [line("Net", 207, 92), line("All", 267, 92), line("Change", 320, 92)]]
    rules = [Box(190, 92, 300, 92.5)]
    assert merge_headers(rows, COLUMNS, rules) == ["", "Assets Net", "Assets All", "Change", ""]


def test_a_period_centred_over_all_columns_belongs_to_each():
    rows = [
        [line("Years ended June 30,", 255, 80)],
        [line(year, x, 92) for year, x in (("2023", 205), ("2022", 265), ("2021", 325), ("2020", 385))],
    ]
    assert merge_headers(rows, COLUMNS)[1:] == [f"Years ended June 30, {year}" for year in (2023, 2022, 2021, 2020)]


def body(*rows):
    return [BodyRow(list(cells), Box(50, 100 + 12 * at, 300, 110 + 12 * at)) for at, cells in enumerate(rows)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("Net costs for", ""), ("litigation", "5")], [["Net costs for litigation", "5"]]),
        ([("Shares held", "5"), ("and not voted", "")], [["Shares held and not voted", "5"]]),
        ([("Revenues:", ""), ("of goods", "5")], [["Revenues:", ""], ["of goods", "5"]]),
        ([("GAAP", "5"), ("Adjusted", "6")], [["GAAP", "5"], ["Adjusted", "6"]]),
        ([("Total", "5"), ("", "7")], [["Total", "5"], ["", "7"]]),
        ([("Swaps", "Other"), ("", "income")], [["Swaps", "Other income"]]),
    ],
)
def test_wrapped_rows_are_made_whole_and_others_kept(rows, expected):
    assert [row.cells for row in join_wrapped_rows(body(*rows))] == expected


def test_rows_far_apart_are_not_joined():
    above, below = body(("Net costs for", ""), ("litigation", "5"))
    far = BodyRow(below.cells, Box(50, 160, 300, 170))
    assert len(join_wrapped_rows([above, far])) == 2


def test_a_table_without_heads_has_blank_ones():
    lines = [
        line(text, x, 100 + 12 * row)
        for row in range(3)
        for text, x in ((f"Item {'abc'[row]}", 50), (f"{row + 3}.5", 200), (f"{row}.1", 260))
    ]
    ((_, _, table),) = find_aligned_tables(visual_rows(lines))
    assert table.rows[0] == ("", "", "")
    assert table.rows[1:] == (("Item a", "3.5", "0.1"), ("Item b", "4.5", "1.1"), ("Item c", "5.5", "2.1"))
    assert [box.y0 for box in table.row_boxes[1:]] == [100, 112, 124]


def test_page_numbers_that_fall_make_no_table_of_contents():
    def rows(*numbers):
        return visual_rows(
            [
                cell
                for at, number in enumerate(numbers)
                for cell in (line(f"Part {'abcdef'[at]}", 50, 100 + 12 * at), line(str(number), 300, 100 + 12 * at))
            ]
        )

    assert find_aligned_tables(rows(3, 9, 12, 12, 30, 44)) == []
    assert len(find_aligned_tables(rows(30, 9, 12, 2, 3, 4))) == 1


def block(page, rows, x1=300.0):
    return table_block(PageTable(tuple(rows), Box(50, 100, x1, 200)), page, 1)


HEAD, FIRST, SECOND = ("Model", "Watts"), ("small", "45"), ("large", "260")


def joined(*blocks):
    return [block.text.split("\n")[2:] for block in join_tables(blocks) if block.kind == "table"]


def test_a_repeated_head_is_dropped():
    assert joined(block(1, [HEAD, FIRST]), block(2, [HEAD, SECOND])) == [["| small | 45 |", "| large | 260 |"]]


def test_a_first_row_of_numbers_is_a_row_of_the_table_before():
    assert joined(block(1, [HEAD, FIRST]), block(2, [SECOND, FIRST])) == [
        ["| small | 45 |", "| large | 260 |", "| small | 45 |"]
    ]


def test_a_continuation_note_may_be_between_the_parts():
    note = Block("text", "Table 3 (continued)", 2, Box(50, 50, 200, 60))
    assert len(joined(block(1, [HEAD, FIRST]), note, block(2, [HEAD, SECOND]))) == 1


@pytest.mark.parametrize(
    "second",
    [
        block(3, [HEAD, SECOND]),
        block(2, [("Model", "Watts", "Year"), ("large", "260", "2020")]),
        block(2, [("City", "People"), ("Oslo", "700")]),
    ],
)
def test_other_tables_are_kept_apart(second):
    assert len(joined(block(1, [HEAD, FIRST]), second)) == 2


def test_running_text_between_parts_tables():
    text = Block("text", "The second table is another one.", 2, Box(50, 50, 200, 60))
    assert len(joined(block(1, [HEAD, FIRST]), text, block(2, [HEAD, SECOND]))) == 2


def test_a_label_that_reaches_over_the_first_column_stays_a_label():
    columns = Columns(((50, 51), (70, 110), (190, 240)))
    rows = [[line("Plant nutrients", 50, 100), line("rules", 195, 100)], [line("Easy", 78, 112), line("5", 195, 112)]]
    assert [place_row(row, columns) for row in rows] == [["Plant nutrients", "", "rules"], ["", "Easy", "5"]]
