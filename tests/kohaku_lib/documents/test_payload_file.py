"""JSON files that contain a document payload, and the ids they state."""

import json

import pytest

from kohaku_lib.documents.payload_file import parse_json_file, payload_id
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings

SETTINGS = DocumentsSettings()


def write(tmp_path, value, name="my file.json"):
    path = tmp_path / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("document_id", "stated", "expected"),
    [
        ("given", "own", "given"),
        ("", "own", "own"),
        ("", "a b:c", "a%20b%3Ac"),
        ("", " ", "my%20file"),
        ("", 7, "my%20file"),
        ("", None, "my%20file"),
    ],
)
def test_the_id_is_the_given_one_else_the_stated_one_else_the_stem(tmp_path, document_id, stated, expected):
    path = write(tmp_path, {"document_id": stated, "text": "Amber."})
    payload = parse_json_file(path, document_id, SETTINGS)
    assert (payload.document_id, payload.text) == (expected, "Amber.")


def test_a_file_without_an_id_has_the_stem(tmp_path):
    assert parse_json_file(write(tmp_path, {"text": "Amber."}), "", SETTINGS).document_id == "my%20file"


@pytest.mark.parametrize(("stated", "expected"), [(" wu ", "wu"), ("", ""), (None, "")])
def test_the_stated_id_is_trimmed_and_empty_if_there_is_none(tmp_path, stated, expected):
    assert payload_id(write(tmp_path, {"document_id": stated, "text": "t"})) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", r"'my file\.json' is not valid JSON"),
        ("[" * 100_000, r"'my file\.json' nests too many values"),
        ('{"text": 7}', "'text' of the payload must be a text, got int"),
    ],
)
def test_other_content_is_an_error_of_the_document(tmp_path, content, message):
    path = write(tmp_path, content)
    for read in (payload_id, lambda path: parse_json_file(path, "", SETTINGS)):
        with pytest.raises(DocumentError, match=message):
            read(path)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("[1.50]", "- 1.50"),
        ({"schema": 1}, "schema: 1"),
        ({"text": "Amber.", "lang": "en"}, "text: Amber.\nlang: en"),
    ],
)
def test_json_that_is_not_meant_as_a_payload_is_read_as_it_is(tmp_path, content, text):
    path = write(tmp_path, content)
    payload = parse_json_file(path, "", SETTINGS)
    assert (payload_id(path), payload.document_id, payload.text) == ("", "my%20file", text)


def test_the_encoding_is_detected(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"\xef\xbb\xbf" + '{"text": "Größe"}'.encode())
    assert parse_json_file(path, "", SETTINGS).text == "Größe"
    path.write_bytes('{"text": "Größe"}'.encode("utf-16"))
    assert parse_json_file(path, "", SETTINGS).text == "Größe"


@pytest.mark.parametrize(
    "number", ["7" * 640, "7" * 641, "7" * 5000, "-" + "7" * 5000]
)  # Python reads at most 4300 digits
def test_integers_of_any_length_keep_their_digits(number, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(f'{{"size": {number}}}')
    assert parse_json_file(path, "", SETTINGS).sections[0].paragraphs[0].text == f"size: {number}"
    path.write_text(f'{{"document_id": "a", "text": "Amber.", "metadata": {{"size": {number}}}}}')
    assert str(parse_json_file(path, "", SETTINGS).metadata["size"]) == number
    assert payload_id(path) == "a"
