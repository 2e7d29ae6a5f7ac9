"""The manifest of a corpus."""

import json
import os
import shutil
import sys
import unicodedata

import pytest

from kohaku_lib.digests import file_sha256
from kohaku_lib.documents import MetadataTable, list_sources, parse_documents, payload_from_json, read_metadata
from kohaku_lib.documents.corpus.payload_ids import PayloadIds
from kohaku_lib.documents.corpus.registry import files_by_metadata_id
from kohaku_lib.documents.worker import kept_processes
from kohaku_lib.errors import DocumentError, InputFileError
from kohaku_lib.settings import CorpusSettings, DocumentsSettings
from kohaku_lib.storage import read_sealed, write_sealed
from kohaku_lib.tables import SOURCE_FILES


def listed(folder, metadata=None, follow_links=False):
    table, report = list_sources(CorpusSettings(documents=folder, metadata=metadata, follow_links=follow_links))
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


def test_files_of_other_formats_are_reported_and_hidden_ones_ignored(folder):
    for name in (".hidden.md", "a.xyz", "b.MD"):
        (folder / name).write_text("x")
    rows, report = listed(folder)
    assert list(rows) == ["b.MD"]
    assert report.problems == ("a.xyz: not a document format",)


def test_lock_files_of_office_programs_are_no_documents(folder):
    (folder / "~$budget.xlsx").write_bytes(b"somebody")
    (folder / "b.md").write_text("b")
    table, report = list_sources(CorpusSettings(documents=folder), file_sha256)
    assert "b.md" in table["path"].to_pylist()
    assert [path for path in table["path"].to_pylist() if "budget" in path] == []
    assert "~$budget.xlsx: a lock file of an office program" in report.problems


def test_broken_links_are_rows_and_links_to_folders_are_reported(folder):
    (folder / "sub" / "a.txt").write_text("Amber.")
    (folder / "gone.txt").symlink_to("nowhere")
    (folder / "self.txt").symlink_to("self.txt")
    (folder / "sub" / "loop").symlink_to(folder)
    (folder / "same.txt").symlink_to("sub/a.txt")
    os.mkfifo(folder / "pipe.txt")
    rows, report = listed(folder)
    assert {path: row["status"].partition(" (")[0] for path, row in rows.items()} == {
        "same.txt": "same content as 'sub/a.txt'",
        "self.txt": "cannot be read",
        "sub/a.txt": "ready",
    }
    assert "pipe.txt: no file, but a pipe, a socket or a device" in report.problems
    assert (
        "sub/loop: links to folders are not followed; move it here, or set corpus.follow_links = true"
        in report.problems
    )
    assert "gone.txt: the link leads nowhere (is the drive mounted?)" in report.problems


def test_a_name_in_other_code_points_is_told_as_such(folder):
    for form in ("NFC", "NFD"):
        (folder / f"{unicodedata.normalize(form, 'Zürich')}.txt").write_text(form)
    rows, _ = listed(folder)
    first, second = sorted(rows)
    assert rows[first]["status"] == "ready"
    assert rows[second]["status"] == f"its name is that of {first!r} in other code points; rename one of them"


def test_links_out_of_the_folder_are_followed_only_where_that_is_set(folder, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "key.txt").write_text("a secret")
    (outside / "more.txt").write_text("another")
    (folder / "report.txt").symlink_to(outside / "key.txt")
    (folder / "all").symlink_to(outside)
    (folder / "self").symlink_to(folder)
    remedy = "move it here, or set corpus.follow_links = true"
    rows, report = listed(folder)
    assert not rows
    assert f"report.txt: the link points outside the documents folder; {remedy}" in report.problems
    assert f"all: links to folders are not followed; {remedy}" in report.problems
    rows, report = listed(folder, follow_links=True)
    assert {path: row["status"].split()[0] for path, row in rows.items()} == {
        "all/key.txt": "same",
        "all/more.txt": "ready",
        "report.txt": "ready",
    }
    assert not any("link" in problem for problem in report.problems)


def test_names_that_are_not_utf8_are_reported_in_printable_form(folder):
    (folder / os.fsdecode(b"file\xff.txt")).write_text("x")
    (folder / os.fsdecode(b"link\xff")).symlink_to(folder)
    rows, report = listed(folder)
    assert rows == {}
    assert sorted(report.problems) == [
        "'file\\udcff.txt': the file's name is not UTF-8; rename it",
        "'link\\udcff': links to folders are not followed; move it here, or set corpus.follow_links = true",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_folders_that_cannot_be_entered_are_reported_and_stop_no_other(folder):
    (folder / "a.txt").write_text("Amber.")
    for name, mode in (("locked", 0o000), ("listed", 0o400)):
        (folder / name).mkdir()
        (folder / name / "b.txt").write_text(name)
        (folder / name).chmod(mode)
    rows, report = listed(folder)
    statuses = {path: row["status"] for path, row in rows.items()}
    assert statuses == {"a.txt": "ready", "listed/b.txt": "cannot be read (Permission denied)"}
    assert "locked: the folder cannot be read (Permission denied); correct its permissions" in report.problems


def test_equal_stems_get_their_relative_path_and_names_are_encoded(folder):
    for name in ("a.txt", "sub/a.md", "c d.txt", "sub/e:f.txt"):
        (folder / name).write_text(f"The text of {name}.")
    rows, _ = listed(folder)
    ids = {path: row["document_id"] for path, row in rows.items()}
    assert ids == {"a.txt": "a.txt", "sub/a.md": "sub/a.md", "c d.txt": "c%20d", "sub/e:f.txt": "e%3Af"}


def test_the_id_of_a_large_payload_is_read_within_limits_and_once(folder, tmp_path, monkeypatch):
    kept_processes.end_kept_processes()
    started, start = [], kept_processes._start_process
    monkeypatch.setattr(
        kept_processes, "_start_process", lambda environment: started.append(environment) or start(environment)
    )
    (folder / "small.json").write_text('{"document_id": "a", "text": "x"}')
    (folder / "large.json").write_text(json.dumps({"document_id": "b", "text": "x" * 4_000_001}))
    (folder / "torn.json").write_text('{"document_id": "c", "text": "' + "x" * 4_000_001)
    ids = PayloadIds(tmp_path / "ids.json")
    small, large, torn = (folder / f"{name}.json" for name in ("small", "large", "torn"))
    for _ in range(2):
        assert [ids.own_id(file, file_sha256(file)) for file in (small, large)] == ["a", "b"]
        with pytest.raises(DocumentError, match=r"'torn\.json' is not valid JSON"):
            ids.own_id(torn, file_sha256(torn))
        ids.save()
        ids = PayloadIds(tmp_path / "ids.json")
    assert len(started) == 1


def test_a_payloads_own_id_goes_first_and_finds_its_metadata(folder, tmp_path):
    (folder / "x.json").write_text('{"document_id": "wu2021", "text": "t"}')
    (tmp_path / "m.csv").write_text("id,title\nwu2021,Wu\n")
    rows, report = listed(folder, tmp_path / "m.csv")
    assert rows["x.json"]["document_id"] == "wu2021"
    assert json.loads(rows["x.json"]["metadata_json"]) == {"title": "Wu"}
    assert report.problems == ()


def test_a_second_file_with_the_same_id_is_not_ready(folder):
    for name in ("x.json", "y.json"):
        (folder / name).write_text(json.dumps({"document_id": "same", "text": name}))
    rows, report = listed(folder)
    assert rows["x.json"]["status"] == "ready"
    assert rows["y.json"]["status"] == "the document id 'same' is already that of 'x.json'"
    assert len(report.problems) == 1


def test_a_broken_payload_has_a_reason_and_leaves_the_stem_to_others(folder):
    (folder / "a.json").write_text('{"document_id": "a", "text": 1}')
    (folder / "a.txt").write_text("x")
    rows, _ = listed(folder)
    assert "'text' of the payload must be a text" in rows["a.json"]["status"]
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


# Copies


def test_of_files_with_the_same_bytes_one_is_indexed_and_the_others_are_reported(folder):
    for name in ("b.txt", "a.txt", "sub/a.txt"):
        (folder / name).write_text("The same amber.")
    rows, report = listed(folder)
    assert {path: row["status"] == "ready" for path, row in rows.items()} == {
        "a.txt": True,
        "b.txt": False,
        "sub/a.txt": False,
    }
    assert rows["a.txt"]["document_id"] == "a"
    assert report.problems[0] == "b.txt: same content as 'a.txt'"


@pytest.mark.parametrize("copy", ["Copy of fares.txt", "a-copy-of-fares.txt", "backup/fares.txt", "fares (1).txt"])
def test_a_copy_does_not_take_the_place_of_its_original(folder, copy):
    for name in ("fares.txt", copy):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("A day ticket costs 86 NOK.")
    rows, _ = listed(folder)
    assert (rows["fares.txt"]["status"], rows["fares.txt"]["document_id"]) == ("ready", "fares")
    assert rows[copy]["status"] == "same content as 'fares.txt'"


def test_of_equal_files_the_one_with_metadata_is_indexed(folder, tmp_path):
    for name in ("download (1).txt", "wu2021.txt"):
        (folder / name).write_text("The same amber.")
    (tmp_path / "m.csv").write_text("id,title\nwu2021,Wu\n")
    rows, _ = listed(folder, tmp_path / "m.csv")
    assert rows["wu2021.txt"]["status"] == "ready"
    assert rows["download (1).txt"]["status"] == "same content as 'wu2021.txt'"


def test_empty_files_are_no_copies_of_each_other(folder):
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("")
    rows, report = listed(folder)
    assert [row["status"] for row in rows.values()] == ["ready", "ready"]
    assert report.problems == ()


# Names


def test_the_corpus_own_tables_are_no_documents(folder, tmp_path):
    (folder / "m.csv").write_text("id,title\na,A\n")
    (folder / "a.txt").write_text("x")
    table, _ = list_sources(CorpusSettings(documents=folder, metadata=folder / "m.csv", questions=folder / "m.csv"))
    assert table.column("path").to_pylist() == ["a.txt"]


def test_an_id_that_is_no_file_name_finds_the_file_that_bears_its_stem(folder, tmp_path):
    (folder / "10.1%2Fx.txt").write_text("x")
    (tmp_path / "m.csv").write_text("id,title\n10.1/x,Amber\n")
    corpus = CorpusSettings(documents=folder, metadata=tmp_path / "m.csv")
    rows, report = listed(folder, tmp_path / "m.csv")
    assert rows["10.1%2Fx.txt"]["document_id"] == "10.1/x"
    assert report.problems == ()
    assert files_by_metadata_id(corpus, read_metadata(corpus.metadata)) == {"10.1/x": folder / "10.1%2Fx.txt"}


def test_rows_without_a_file_have_none_and_the_first_of_two_files_counts(folder, tmp_path):
    for name in ("a.txt", "sub/a.md"):
        (folder / name).write_text(name)
    (tmp_path / "m.csv").write_text("id,title\na,A\nghost,G\n")
    corpus = CorpusSettings(documents=folder, metadata=tmp_path / "m.csv")
    assert files_by_metadata_id(corpus, read_metadata(corpus.metadata)) == {"a": folder / "a.txt"}
    assert files_by_metadata_id(CorpusSettings(), MetadataTable({"a": {}})) == {}


# Payload ids


def test_an_unchanged_payload_is_read_once(folder, tmp_path):
    (folder / "x.json").write_text('{"document_id": "wu2021", "text": "t"}')
    ids = PayloadIds(tmp_path / "ids.json")
    list_sources(CorpusSettings(documents=folder), file_sha256, ids)
    ids.save()
    sha256 = file_sha256(folder / "x.json")
    (folder / "x.json").unlink()
    assert PayloadIds(tmp_path / "ids.json").own_id(folder / "x.json", sha256) == "wu2021"


def test_a_payload_without_an_id_is_remembered_and_a_broken_one_is_not(folder, tmp_path):
    (folder / "x.json").write_text('{"text": "t"}')
    ids = PayloadIds(tmp_path / "ids.json")
    sha256 = file_sha256(folder / "x.json")
    assert ids.own_id(folder / "x.json", sha256) is None
    (folder / "y.json").write_text('{"sections": 1}')
    with pytest.raises(DocumentError, match="not a document payload"):
        ids.own_id(folder / "y.json", file_sha256(folder / "y.json"))
    ids.save()
    assert read_sealed(tmp_path / "ids.json") == {sha256: ""}


@pytest.mark.parametrize("chars", [10, 4_000_001], ids=["small", "large"])
@pytest.mark.parametrize("fault", ["gone", "changed", "killed"])
def test_no_fault_that_may_pass_is_remembered_for_a_payloads_id(folder, tmp_path, monkeypatch, chars, fault):
    file = folder / "x.json"
    whole = json.dumps({"document_id": "wu", "text": "x" * chars})
    file.write_text(whole)
    sha256, ids = file_sha256(file), PayloadIds(tmp_path / "ids.json")
    if fault == "changed":
        file.write_text(whole.replace("wu", "li"))
    elif fault == "gone":
        file.unlink()
    else:
        kept_processes.end_kept_processes()
        monkeypatch.setattr(sys, "executable", shutil.which("false"))
    if fault != "killed" or chars > 4_000_000:  # a small file is read in this process
        with pytest.raises((DocumentError, OSError)):
            ids.own_id(file, sha256)
    monkeypatch.undo()
    file.write_text(whole)
    ids.save()
    assert PayloadIds(tmp_path / "ids.json").own_id(file, sha256) == "wu"


def test_a_fault_of_an_older_store_that_may_have_passed_is_forgotten(folder, tmp_path):
    (folder / "x.json").write_text('{"document_id": "wu", "text": "t"}')
    sha256 = file_sha256(folder / "x.json")
    write_sealed(tmp_path / "ids.json", {sha256: {"error": "'x.json' is gone"}})
    assert PayloadIds(tmp_path / "ids.json").own_id(folder / "x.json", sha256) == "wu"


@pytest.mark.parametrize("content", ["", "[]", '{"a": 3}', "torn {"])
def test_a_damaged_memo_of_payload_ids_is_an_empty_one(folder, tmp_path, content):
    (tmp_path / "ids.json").write_text(content)
    (folder / "x.json").write_text('{"document_id": "wu", "text": "t"}')
    sha256 = file_sha256(folder / "x.json")
    assert PayloadIds(tmp_path / "ids.json").own_id(folder / "x.json", sha256) == "wu"


# Citations


def test_rows_without_a_file_are_ready_as_their_citation_where_that_is_wanted(tmp_path):
    (tmp_path / "m.csv").write_text("id,title,citation\na,A,Wu (2021). Amber.\nb,Bees,\nc d,,\n")
    corpus = CorpusSettings(metadata=tmp_path / "m.csv", use_citations=True)
    sources, report = list_sources(corpus)
    assert report.problems == ()
    table, parsed = parse_documents(sources, corpus, DocumentsSettings())
    texts = {row["document_id"]: json.loads(row["payload_json"])["text"] for row in table.to_pylist()}
    assert texts == {"a": "Wu (2021). Amber.", "b": "Bees", "c%20d": "c%20d"}
    (row, *_) = table.to_pylist()
    assert (row["status"], row["title"], row["path"], row["mime_type"]) == ("parsed", "A", "", "text/plain")
    payload = payload_from_json(json.loads(row["payload_json"]))
    assert [p.text for s in payload.sections for p in s.paragraphs] == ["Wu (2021). Amber."]
    assert parsed.metrics["parsed"] == 3.0


def test_a_row_with_a_file_is_that_file_and_a_changed_citation_changes_the_hash(folder, tmp_path):
    (folder / "a.txt").write_text("The whole text.")

    def hashes(citation):
        (tmp_path / "m.csv").write_text(f"id,citation\na,x\nb,{citation}\n")
        corpus = CorpusSettings(documents=folder, metadata=tmp_path / "m.csv", use_citations=True)
        table, _ = parse_documents(list_sources(corpus)[0], corpus, DocumentsSettings())
        rows = {row["document_id"]: row for row in table.to_pylist()}
        assert json.loads(rows["a"]["payload_json"])["text"] == "The whole text."
        return rows["b"]["sha256"]

    assert hashes("one") != hashes("two")
