"""metadata.csv is read as people really save it."""

import csv

import pytest

from kohaku_lib.documents import read_metadata
from kohaku_lib.errors import InputFileError


def write(tmp_path, data):
    path = tmp_path / "metadata.csv"
    path.write_bytes(data)
    return path


def test_windows_file_with_stray_blanks_and_double_encoding(tmp_path):
    path = write(tmp_path, b"id,title,url\r\na, M\xe9lange ,https://example.org/a \r\nb,M\xc3\x83\xc2\xa9lange,\r\n")
    table = read_metadata(path)
    assert table.rows == {"a": {"title": "Mélange", "url": "https://example.org/a"}, "b": {"title": "Mélange"}}
    assert table.problems == ()


def test_byte_order_mark_and_quoted_line_breaks(tmp_path):
    path = write(tmp_path, '\ufeffid,title\n"a","two\nlines, one comma"\n'.encode())
    assert read_metadata(path).rows == {"a": {"title": "two\nlines, one comma"}}


def test_a_quote_that_swallows_the_rest_of_the_file_is_reported(tmp_path):
    table = read_metadata(write(tmp_path, b'id,title\na,"first\nb,second\nc,third\n'))
    assert table.rows == {"a": {"title": "first\nb,second\nc,third"}}
    assert table.problems == (
        "metadata.csv: a quoted cell is never closed and contains all following rows; close its quotes",
    )


def test_semicolons_separate_columns_if_the_header_has_them(tmp_path):
    assert read_metadata(write(tmp_path, b"id;title\na;A, B\n")).rows == {"a": {"title": "A, B"}}


def test_rows_without_id_and_repeated_ids_are_rejected_with_their_line(tmp_path):
    table = read_metadata(write(tmp_path, b"id,title\na,first\n ,nobody\na,second\n\n"))
    assert table.rows == {"a": {"title": "first"}}
    assert table.problems == (
        "metadata.csv line 3: the row has no id and is left out",
        "metadata.csv line 4: the id 'a' is repeated, and the row is left out",
    )


@pytest.mark.parametrize("cell", ["x" * 200_000, '"' + "x\n" * 100_000 + '"'])
def test_a_cell_beyond_all_bounds_costs_its_row_only(tmp_path, cell):
    table = read_metadata(write(tmp_path, f"id,title\na,One\nb,{cell}\nc,Three\n".encode()))
    assert table.rows == {"a": {"title": "One"}, "c": {"title": "Three"}}
    (problem,) = table.problems
    assert problem.endswith(" 200000 characters, more than 131072; the row is left out")
    assert csv.field_size_limit() == 131_072


def test_unreadable_bytes_are_replaced_with_a_warning(tmp_path):
    table = read_metadata(write(tmp_path, b"id,title\na,amber \x81\n"))
    assert table.rows["a"]["title"] == "amber \ufffd"
    assert table.problems == ("metadata.csv: 1 unreadable bytes were replaced by U+FFFD",)


def test_short_and_long_rows_keep_what_has_a_column(tmp_path):
    assert read_metadata(write(tmp_path, b"id,title\na\nb,B,more\n")).rows == {"a": {}, "b": {"title": "B"}}


@pytest.mark.parametrize("data", [b"", b"name,title\na,b\n"])
def test_a_file_without_an_id_column_is_an_input_error(tmp_path, data):
    with pytest.raises(InputFileError, match="needs a column named 'id'"):
        read_metadata(write(tmp_path, data))


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(InputFileError, match=r"corpus\.metadata"):
        read_metadata(tmp_path / "none.csv")
