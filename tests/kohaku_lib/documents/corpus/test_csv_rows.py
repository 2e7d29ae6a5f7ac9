"""CSV files as they come from spreadsheets and competitions."""

import pytest

from kohaku_lib.documents import read_rows
from kohaku_lib.errors import InputFileError


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
    told = []
    path = write(tmp_path, f"id,a\nq1,1\nq2,{cell}\nq3,3\n".encode())
    assert [row["id"] for row in read_rows(path, on_problem=told.append)] == ["q1", "q3"]
    assert len(told) == 1
    assert "line 3" in told[0]


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
