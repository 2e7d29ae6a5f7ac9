"""CSV files as they come from spreadsheets and competitions."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents import read_rows
from kohaku_lib.documents.corpus.csv_rows import (
    delimiter_of,
    ends_within_quotes,
    limit_messages,
    parse_rows,
)
from kohaku_lib.errors import InputFileError

HEADER = ["id", "answer", "value"]
CELLS = st.text(st.sampled_from('ab ,"\n;1'), min_size=1, max_size=8)
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6)


def write(tmp_path, content):
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        "id,answer\r\nq1,café\r\n".encode("cp1252"),
        "\ufeffid,answer\nq1,café\n".encode(),
        "id,answer\nq1,café".encode(),
        "id,answer\nq1,café\n".encode("utf-16"),
        ' id ,answer\n\n"q1","café"\n\n,,\n'.encode(),
    ],
)
def test_every_usual_encoding_is_read(tmp_path, content):
    assert read_rows(write(tmp_path, content)) == [{"id": "q1", "answer": "café"}]


def test_quoted_line_breaks_stay_in_their_cell(tmp_path):
    assert read_rows(write(tmp_path, b'id,a\nq1,"two\r\nlines, ""one"" cell"\n'))[0]["a"] == 'two\r\nlines, "one" cell'


def test_short_rows_are_filled_and_surplus_cells_dropped(tmp_path):
    assert read_rows(write(tmp_path, b"id,a\nq1\nq2,x,y,z\n")) == [{"id": "q1", "a": ""}, {"id": "q2", "a": "x"}]


def test_an_empty_file_has_no_rows(tmp_path):
    assert read_rows(write(tmp_path, b"")) == []


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(InputFileError, match=r"nowhere\.csv cannot be read \(No such file"):
        read_rows(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("cell", ["x" * 200_000, '"' + "x\n" * 100_000 + '"'])
def test_a_cell_beyond_all_bounds_costs_its_row_only(tmp_path, cell):
    problems = []
    path = write(tmp_path, f"id,a\nq1,1\nq2,{cell}\nq3,3\n".encode())
    assert [row["id"] for row in read_rows(path, on_problem=problems.append)] == ["q1", "q3"]
    assert len(problems) == 1
    assert "line 3" in problems[0]


def test_a_header_beyond_all_bounds_is_one_sentence(tmp_path):
    with pytest.raises(InputFileError, match="is not a CSV file: line 1"):
        read_rows(write(tmp_path, b"id," + b"x" * 200_000 + b"\nq1,1\n"))


def test_the_delimiter_is_that_of_the_header(tmp_path):
    assert read_rows(write(tmp_path, b'id;a\nq1;"80,5; or so"\n')) == [{"id": "q1", "a": "80,5; or so"}]
    assert read_rows(write(tmp_path, b"id\ta\nq1\tx, y\n")) == [{"id": "q1", "a": "x, y"}]


def test_stray_bytes_do_not_spoil_the_utf8_around_them(tmp_path):
    content = "id,a\nq1,Größe\n".encode() + "q2,Mäß\n".encode("cp1252")
    assert [row["a"] for row in read_rows(write(tmp_path, content))] == ["Größe", "Mäß"]


def test_a_required_column_that_is_missing_is_named(tmp_path):
    with pytest.raises(InputFileError, match=r"lacks the column 'answer' \(columns found: 'id', 'a'\)"):
        read_rows(write(tmp_path, b"id,a\nq1,x\n"), ("id", "answer"))


# Rows with unclosed quotes


def written(rows, quoting=csv.QUOTE_ALL):
    stream = io.StringIO()
    csv.writer(stream, quoting=quoting, lineterminator="\n").writerows(rows)
    return stream.getvalue()


@given(ROWS, st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
def test_what_a_program_wrote_is_read_as_it_was_written(cells, quoting):
    rows = [HEADER, *([f"q{number}", *pair] for number, pair in enumerate(cells))]
    assert parse_rows(written(rows, quoting), ",") == (rows, [])


@given(
    st.lists(st.tuples(st.text("ab ,1", max_size=8), st.text("ab ,1", max_size=8)), min_size=1, max_size=6), st.data()
)
def test_an_open_quote_costs_its_own_row_only(cells, data):
    rows = [[f"q{number}", *pair] for number, pair in enumerate(cells)]
    lines = written([HEADER, *rows]).splitlines(keepends=True)
    place = data.draw(st.integers(1, len(rows)))
    lines[place] = lines[place].removesuffix('"\n') + "\n"
    found, broken = parse_rows("".join(lines), ",")
    assert found == [HEADER, *rows[: place - 1], *rows[place:]]
    assert broken == [place + 1]


def test_a_quote_that_only_a_later_row_closes_takes_no_row_along():
    text = 'id,answer,value\nq1,"one,1\nq2,"two",2\nq3,three,3\n'
    assert parse_rows(text, ",") == ([HEADER, ["q2", "two", "2"], ["q3", "three", "3"]], [2])


def test_the_rest_of_a_text_of_several_lines_whose_quote_is_open_is_no_row():
    text = 'id,answer,value\nq1,one,1\nq2,"two\nlines of text\n'
    assert parse_rows(text, ",") == ([HEADER, ["q1", "one", "1"]], [3])


@pytest.mark.parametrize("cell", ['"He said "x" ok"', '"a" b', 'a "b" c', '"Two\nlines "x" here"'])
def test_other_quoting_errors_are_read_leniently(cell):
    text = f"id,answer,value\nq1,{cell},1\nq2,b,2\n"
    lenient = list(csv.reader(io.StringIO(text, newline="")))
    assert parse_rows(text, ",") == (lenient, [])
    assert len(lenient) == 3


def test_a_row_that_would_swallow_more_than_a_cell_may_hold_is_left_out():
    rows = "".join(f"q{number},{'x' * 100},1\n" for number in range(2000))
    found, broken = parse_rows(f'id,answer,value\nq,"open,1\n{rows}', ",")
    assert (len(found), broken) == (2001, [2])


def test_each_broken_row_is_reported_in_one_sentence(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text('id,answer,value\nq1,"one,1\nq2,two,2\nq3,"three,3\n')
    problems = []
    assert [row["id"] for row in read_rows(path, on_problem=problems.append)] == ["q2"]
    assert [sentence.split(" of ")[0] for sentence in problems] == ["the row in line 2", "the row in line 4"]
    assert all(str(path) in sentence and sentence.endswith("close the quote") for sentence in problems)
    assert [row["id"] for row in read_rows(path)] == ["q2"]


# Delimiters, quotes and bounds


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [("a,b;c;d", ";"), ("a\tb\tc,d", "\t"), ("a;b,c", ","), ("a", ","), ("", ","), ("a,b\nc;d;e;f", ",")],
)
def test_the_delimiter_is_the_most_frequent_one_of_the_first_line_and_a_comma_in_doubt(text, delimiter):
    assert delimiter_of(text) == delimiter


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("", False),
        ('a\n"b', True),
        ('a\n"b"', False),
        ('a\n"b""', True),
        ('a\n"b"""', False),
        ('a\nb"c', False),  # a quote within a cell opens nothing
        ('a\n"b" c', False),  # another error of quoting
    ],
)
def test_a_text_ends_within_quotes_if_the_last_quoted_cell_is_not_closed(text, is_open):
    assert ends_within_quotes(text) is is_open


@pytest.mark.parametrize(
    ("most", "shown"), [(0, ["3 more rows"]), (2, ["a", "b", "1 more rows"]), (3, ["a", "b", "c"])]
)
def test_messages_beyond_the_limit_are_counted(most, shown):
    assert limit_messages(["a", "b", "c"], "rows", most) == shown
    assert limit_messages([], "rows", most) == []


def test_uneven_rows_are_reported_by_number_and_beyond_ten_counted(tmp_path):
    problems = []
    rows = "".join(f"q{number},1,surplus\n" for number in range(12)) + "short\n"
    read_rows(write(tmp_path, f"id,a\n{rows}".encode()), on_problem=problems.append)
    assert problems[0].startswith("row 1 of rows.csv has 3 cells for 2 columns, and the surplus is left out")
    assert problems[10] == "2 more rows of rows.csv have more cells than columns"
    assert problems[11] == "row 13 of rows.csv has 1 cells for 2 columns, and the missing ones are read as empty"
    assert len(problems) == 12


def test_blank_cells_beyond_the_header_are_no_problem(tmp_path):
    problems = []
    assert read_rows(write(tmp_path, b"id,a\nq1,x, ,\n"), on_problem=problems.append) == [{"id": "q1", "a": "x"}]
    assert problems == []
