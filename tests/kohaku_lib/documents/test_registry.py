"""The manifest of a corpus."""

import json

import pytest

from kohaku_lib.documents import list_sources
from kohaku_lib.errors import InputFileError
from kohaku_lib.settings import CorpusSettings
from kohaku_lib.tables import SOURCE_FILES


def listed(folder, metadata=None):
    table, report = list_sources(CorpusSettings(documents=folder, metadata=metadata))
    assert table.schema.equals(SOURCE_FILES)
    return {row["path"]: row for row in table.to_pylist()}, report


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    return tmp_path / "docs"


def test_files_are_sorted_hashed_and_joined_with_their_metadata(folder, tmp_path):
    (folder / "b.txt").write_text("amber")
    (folder / "sub" / "a.md").write_text("x")
    (tmp_path / "m.csv").write_text("id,title,year\nb,Bee,2023\nghost,Ghost,\n")
    rows, report = listed(folder, tmp_path / "m.csv")
    assert list(rows) == ["b.txt", "sub/a.md", ""]
    assert rows["b.txt"]["sha256"] == "b1601f694b9d336c35fc456de5697dfde5e1b1ce4e8c40766fb6cb763aba91c7"
    assert json.loads(rows["b.txt"]["metadata_json"]) == {"title": "Bee", "year": "2023"}
    assert (rows[""]["document_id"], rows[""]["status"], rows[""]["sha256"]) == ("ghost", "no file", None)
    assert report.problems == ("the metadata row 'ghost' has no file in corpus.documents",)


def test_foreign_files_are_reported_and_hidden_ones_passed_over(folder):
    for name in (".hidden.md", "a.odt", "b.MD"):
        (folder / name).write_text("x")
    rows, report = listed(folder)
    assert list(rows) == ["b.MD"]
    assert report.problems == ("a.odt: not a document format",)


def test_equal_stems_get_their_relative_path_and_names_are_encoded(folder):
    for name in ("a.txt", "sub/a.md", "c d.txt", "sub/e:f.txt"):
        (folder / name).write_text("x")
    rows, _ = listed(folder)
    ids = {path: row["document_id"] for path, row in rows.items()}
    assert ids == {"a.txt": "a.txt", "sub/a.md": "sub/a.md", "c d.txt": "c%20d", "sub/e:f.txt": "e%3Af"}


def test_a_payloads_own_id_goes_first_and_finds_its_metadata(folder, tmp_path):
    (folder / "x.json").write_text('{"document_id": "wu2021", "text": "t"}')
    (tmp_path / "m.csv").write_text("id,title\nwu2021,Wu\n")
    rows, report = listed(folder, tmp_path / "m.csv")
    assert rows["x.json"]["document_id"] == "wu2021"
    assert json.loads(rows["x.json"]["metadata_json"]) == {"title": "Wu"}
    assert report.problems == ()


def test_a_second_file_with_the_same_id_is_not_ready(folder):
    for name in ("x.json", "y.json"):
        (folder / name).write_text('{"document_id": "same", "text": "t"}')
    rows, report = listed(folder)
    assert rows["x.json"]["status"] == "ready"
    assert rows["y.json"]["status"] == "the document id 'same' is already that of 'x.json'"
    assert len(report.problems) == 1


def test_json_that_is_no_payload_says_why_and_leaves_the_stem_to_others(folder):
    (folder / "a.json").write_text('{"schema": 1}')
    (folder / "a.txt").write_text("x")
    rows, _ = listed(folder)
    assert "neither 'text' nor 'sections'" in rows["a.json"]["status"]
    assert (rows["a.txt"]["document_id"], rows["a.txt"]["status"]) == ("a", "ready")


def test_a_missing_folder_is_one_sentence_with_the_setting(tmp_path):
    with pytest.raises(InputFileError, match=r"that corpus\.documents names does not exist"):
        listed(tmp_path / "none")


def test_no_folder_means_no_files():
    table, report = list_sources(CorpusSettings())
    assert (table.num_rows, report.problems) == (0, ())


def test_the_tables_of_metadata_and_questions_are_no_documents_of_the_corpus(folder):
    for name in ("questions.csv", "metadata.csv", "numbers.csv"):
        (folder / name).write_text("id,question\n")
    corpus = CorpusSettings(documents=folder, metadata=folder / "metadata.csv", questions=folder / "questions.csv")
    table, _ = list_sources(corpus)
    assert table["path"].to_pylist() == ["numbers.csv"]
