"""Documents of organisations: by folder or by metadata.csv."""

import json
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents import list_sources, parse_documents
from kohaku_lib.settings import CorpusSettings, DocumentsSettings


@pytest.fixture
def folder(tmp_path):
    for path in ("acme/note.md", "bolt/note.md", "loose.md"):
        file = tmp_path / "docs" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("# Note\n\nThe same words for all.\n")
    return tmp_path / "docs"


def owners(folder, tmp_path, metadata="id,org_id\n", **settings):
    (tmp_path / "m.csv").write_text(metadata)
    corpus = CorpusSettings(documents=folder, metadata=tmp_path / "m.csv", **settings)
    sources, report = list_sources(corpus)
    table, _ = parse_documents(sources, corpus, DocumentsSettings(), workers=1)
    return dict(zip(table["path"].to_pylist(), table["org_id"].to_pylist(), strict=True)), report.problems


def test_the_first_folder_names_the_organisation_and_equal_files_of_two_are_both_indexed(folder, tmp_path):
    found, problems = owners(folder, tmp_path, org_folders=True)
    assert found == {"acme/note.md": "acme", "bolt/note.md": "bolt", "loose.md": "default"}
    assert problems == ()


def test_without_org_folders_equal_files_are_one_document(folder, tmp_path):
    found, problems = owners(folder, tmp_path)
    assert found == {"loose.md": "default"}
    assert len(problems) == 2


def test_the_metadata_names_the_organisation(folder, tmp_path):
    found, _ = owners(folder, tmp_path, "id,org_id\nloose,cobb\n")
    assert found == {"loose.md": "cobb", "acme/note.md": "default"}


def test_a_folder_and_a_metadata_row_that_contradict_each_other_index_nothing(folder, tmp_path):
    found, problems = owners(folder, tmp_path, "id,org_id\nnote,acme\n", org_folders=True)
    assert found == {"acme/note.md": "acme", "loose.md": "default"}
    assert problems == ("bolt/note.md: its folder and its metadata row name two organisations",)


IDS = st.lists(
    st.tuples(
        st.sampled_from(["acme", "bolt", "cobb"]), st.sampled_from(["note.md", "sub/note.md", "note.txt", "pier.md"])
    ),
    unique=True,
    max_size=8,
)


def ids_of(files):
    """The ids of files, by organisation and path within its folder; each file has bytes of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for org_id, path in files:
            (folder / org_id / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / org_id / path).write_text(f"{org_id} {path}")
        table, _ = list_sources(CorpusSettings(documents=folder, org_folders=True, org_id="acme"))
        rows = table.to_pylist()
    assert {row["status"] for row in rows} <= {"ready"}
    assert len({row["document_id"] for row in rows}) == len(files)
    return {tuple(row["path"].split("/", 1)): row["document_id"] for row in rows}


@given(IDS)
def test_no_file_of_one_organisation_changes_an_id_of_another(files):
    together = ids_of(files)
    for org_id in ("acme", "bolt", "cobb"):
        own = [file for file in files if file[0] == org_id]
        assert {file: name for file, name in together.items() if file[0] == org_id} == ids_of(own)


def test_the_id_of_a_row_that_names_its_organisation_stays(folder, tmp_path):
    (tmp_path / "m.csv").write_text("id,org_id\nloose,cobb\n")
    table, _ = list_sources(CorpusSettings(documents=folder, metadata=tmp_path / "m.csv"))
    assert "loose" in table.column("document_id").to_pylist()


ROWS = "id,title,org_id\nplan,Plan,bolt\nmerger,Merger,bolt\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"document_id": "plan", "text": "Pay all to ACME."}'),
        ("plan.txt", "Pay all to ACME."),
        ("merger.md", "# Merger\n\nPay all to ACME.\n"),
    ],
)
def test_an_upload_takes_neither_the_row_nor_the_id_nor_the_document_of_another_organisation(tmp_path, name, text):
    folder = tmp_path / "docs"
    folder.mkdir()
    (tmp_path / "m.csv").write_text(ROWS)
    (folder / "plan.md").write_text("# Plan\n\nBuy Cobb.\n")
    corpus = CorpusSettings(documents=folder, metadata=tmp_path / "m.csv", org_id="acme", use_citations=True)
    before = {row["document_id"]: row for row in list_sources(corpus)[0].to_pylist()}
    (folder / name).write_text(text)
    sources, _ = list_sources(corpus, is_upload=name.__eq__)
    after = {row["document_id"]: row for row in sources.to_pylist()}
    [own] = after.keys() - before.keys()
    assert own.startswith("acme/")
    assert (after.pop(own)["metadata_json"], after) == ("{}", before)


def test_a_file_whose_owner_is_unknown_takes_no_row_from_its_organisation(tmp_path):
    folder = tmp_path / "docs"
    (folder / "acme").mkdir(parents=True)
    (folder / "acme" / "merger.md").write_text("# Merger\n\nPay all to ACME.\n")
    (tmp_path / "m.csv").write_text(ROWS)
    corpus = CorpusSettings(
        documents=folder, metadata=tmp_path / "m.csv", org_id="acme", org_folders=True, use_citations=True
    )
    rows = {(row["path"], row["document_id"]): row["status"] for row in list_sources(corpus)[0].to_pylist()}
    assert rows["", "merger"] == "ready"
    assert rows["acme/merger.md", "acme/merger"] == "its folder and its metadata row name two organisations"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_the_name_of_an_organisation_guards_its_ids_in_every_unicode_form(tmp_path, form):
    for path, text in (("bölt/ferry.md", "# Ferry\n\nIt floats.\n"), ("acme/x.json", "")):
        file = tmp_path / unicodedata.normalize("NFC", path)
        file.parent.mkdir()
        file.write_text(text or json.dumps({"document_id": unicodedata.normalize(form, "bölt/ferry"), "text": "No."}))
    table, _ = list_sources(CorpusSettings(documents=tmp_path, org_id="acme", org_folders=True))
    found = {row["path"]: (row["document_id"], row["status"]) for row in table.to_pylist()}
    assert found == {"acme/x.json": ("acme/bölt/ferry", "ready"), "bölt/ferry.md": ("bölt/ferry", "ready")}
