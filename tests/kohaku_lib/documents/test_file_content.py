"""Bytes and text of source files, and the errors for files without any."""

import pytest

from kohaku_lib.documents.file_content import bytes_of, nonblank_text_of, text_of
from kohaku_lib.errors import DocumentError


def write(tmp_path, data):
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    return path


def test_bytes_are_those_of_the_file(tmp_path):
    assert bytes_of(write(tmp_path, b"\x00\xff")) == b"\x00\xff"


@pytest.mark.parametrize("read", [bytes_of, text_of, nonblank_text_of])
def test_an_empty_file_is_an_error_of_the_document(tmp_path, read):
    with pytest.raises(DocumentError, match=r"'a\.txt' is empty"):
        read(write(tmp_path, b""))


@pytest.mark.parametrize("read", [bytes_of, text_of, nonblank_text_of])
def test_a_missing_file_is_an_error_of_the_document(tmp_path, read):
    with pytest.raises(DocumentError, match=r"'nowhere\.txt' cannot be read \(No such file"):
        read(tmp_path / "nowhere.txt")


@pytest.mark.parametrize(
    "data", ["Größe\r\nzwei".encode(), "Größe\rzwei".encode("cp1252"), "Größe\nzwei".encode("utf-16")]
)
def test_text_is_decoded_from_any_encoding_with_plain_line_breaks(tmp_path, data):
    assert text_of(write(tmp_path, data)) == "Größe\nzwei"


def test_binary_data_is_no_text(tmp_path):
    with pytest.raises(DocumentError, match="contains binary data, not text"):
        text_of(write(tmp_path, b"PK\x03\x04\x00\x00"))


@pytest.mark.parametrize("data", [b" \n\t", "\ufeff \n".encode(), "\u00a0\u2003".encode()])
def test_white_space_is_no_text(tmp_path, data):
    with pytest.raises(DocumentError, match="contains no text"):
        nonblank_text_of(write(tmp_path, data))
    assert text_of(write(tmp_path, data)).strip() == ""
