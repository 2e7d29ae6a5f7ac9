"""The passages of a context."""

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.extractive.reader.passages import PASSAGE_CHARS, ROWS_CHARS, passages_of
from kohaku_lib.tables import Snippet


def snippet(text, title="Trams"):
    return Snippet("d:1", "d", title, None, text, 1, 1.0)


TABLE = "Lines\n| City | Trams |\n| --- | --- |\n| Graz | 6 |\n| Linz | 4 |"


def test_a_passage_begins_with_the_title_of_its_document_and_the_caption_of_its_table():
    passages = passages_of([snippet(TABLE)])
    assert [one.text for one in passages] == [
        "Trams. Lines",
        "Trams. Lines City: Graz; Trams: 6. City: Linz; Trams: 4.",
    ]
    assert [one.text[one.lines[0].start :] for one in passages] == [
        "Lines",
        "City: Graz; Trams: 6. City: Linz; Trams: 4.",
    ]


def test_no_passage_spans_two_snippets_and_none_comes_of_a_blank_one():
    passages = passages_of([snippet("One."), snippet(" "), snippet("Two.")])
    assert [one.text for one in passages] == ["Trams. One.", "Trams. Two."]


@given(st.lists(st.integers(5, 900), min_size=1, max_size=12))
def test_every_sentence_is_in_one_passage_and_only_a_long_sentence_makes_a_long_passage(lengths):
    sentences = [f"Aa{'b' * length}." for length in lengths]
    passages = passages_of([snippet(" ".join(sentences))])
    assert [line.quote for passage in passages for line in passage.lines] == sentences
    for passage in passages:
        assert len(passage.lines) == 1 or len(passage.text) - passage.lines[0].start <= PASSAGE_CHARS + 1
        assert all(passage.text[line.start : line.end] == line.quote for line in passage.lines)


@given(st.integers(1, 60))
def test_every_row_is_in_one_passage_of_a_few_rows(count):
    rows = [f"| Site {number} | {number * 7919} |" for number in range(1, count + 1)]
    passages = passages_of([snippet("\n".join(["| Site | Energy in kWh of the year |", "| --- | --- |", *rows]))])
    assert [line.quote for passage in passages for line in passage.lines] == rows
    assert all(len(one.text) - one.lines[0].start <= ROWS_CHARS + 1 for one in passages)


def test_an_answer_lies_within_a_sentence_or_a_cell_that_is_not_empty():
    text = "It rains. It snows.\n\n| Month | Visitors |\n| --- | --- |\n| May 2025 |  |"
    areas = [[one.text[start:end] for start, end in one.answer_areas] for one in passages_of([snippet(text, "")])]
    assert areas == [["It rains.", "It snows."], ["May 2025"]]


def test_a_remark_in_a_sheet_is_read_as_a_sentence_behind_its_table():
    remark = "| The depot is closed. It moves to Wels in May. | |"
    table, remarks = passages_of([snippet(f"| City | Trams |\n| --- | --- |\n| Graz | 6 |\n{remark}")])
    assert [line.quote for line in table.lines] == ["| Graz | 6 |"]
    assert [line.quote for line in remarks.lines] == ["The depot is closed.", "It moves to Wels in May."]


def test_the_cells_of_a_table_with_decimal_commas_are_shown_with_points_and_quoted_as_written():
    table = "Preise\n| Ware | Preis in Euro |\n| --- | --- |\n| Brot | 3,25 |\n| Salz | 12.500,75 |"
    passage = passages_of([snippet(table, title="")])[1]
    assert "Brot; Preis in Euro: 3.25." in passage.text
    assert "Salz; Preis in Euro: 12500.75." in passage.text
    line = passage.line_at(passage.text.index("3.25"))
    assert line.quote == "| Brot | 3,25 |"
    assert [cell.text for cell in line.cells] == ["Brot", "3,25"]
