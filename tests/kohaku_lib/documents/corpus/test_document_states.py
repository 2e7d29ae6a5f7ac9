"""The parse state of every file and metadata row, with the reason."""

import json

import pyarrow as pa
import pytest

from kohaku_lib.documents.corpus.document_states import DocumentState, count_states, document_states
from kohaku_lib.documents.fetch.ledger import FetchEntry
from kohaku_lib.tables import DOCUMENTS, SOURCE_FILES
from kohaku_lib.text.shingles import sketch_of

SOURCE = {"path": "a.pdf", "document_id": "a", "sha256": "5a", "status": "ready", "metadata_json": "{}"}
ROW = {
    "document_id": "a",
    "org_id": "acme",
    "path": "a.pdf",
    "sha256": "5a",
    "mime_type": "application/pdf",
    "title": "A",
    "pages": 3,
    "status": "parsed",
    "metadata_json": json.dumps({"language": "de"}),
}


def states(source=None, row=None, **others):
    sources = pa.Table.from_pylist([{**SOURCE, **(source or {})}], schema=SOURCE_FILES)
    documents = None if row is None else pa.Table.from_pylist([{**ROW, **row}], schema=DOCUMENTS)
    return document_states(sources, documents, **others)


def test_a_parsed_file_has_its_pages_and_language():
    assert states(row={}) == [DocumentState("a.pdf", "a", "parsed", 3, "de", None)]


def test_a_table_without_sketches_is_read():
    sources = pa.Table.from_pylist([SOURCE], schema=SOURCE_FILES)
    documents = pa.Table.from_pylist([ROW], schema=DOCUMENTS).drop_columns(["sketch"])
    [state] = document_states(sources, documents)
    assert (state.status, state.near_copy_of) == ("parsed", None)


@pytest.mark.parametrize("source", [{"sha256": "6b"}, {"path": "b.pdf"}, {"document_id": "b"}])
def test_a_new_or_changed_file_is_pending(source):
    [state] = states(source, {})
    assert (state.status, state.pages, state.language, state.reason) == ("pending", None, None, None)


def test_a_near_copy_names_the_document_that_lies_highest_up_of_its_own_organisation():
    text = " ".join(f"word{number}" for number in range(400))
    sketches = {"a.pdf": text, "old/a.pdf": f"{text} more", "b.pdf": text[:1000]}
    files = [{**SOURCE, "path": path, "document_id": path[:-4]} for path in sketches]
    rows = [{**ROW, **file, "sketch": sketch_of(sketches[file["path"]]).tobytes().hex()} for file in files]
    sources = pa.Table.from_pylist(files, schema=SOURCE_FILES)

    def near(rows):
        found = document_states(sources, pa.Table.from_pylist(rows, schema=DOCUMENTS))
        return {state.document_id: state.near_copy_of for state in found}

    assert near(rows) == {"a": None, "old/a": "a", "b": None}
    assert near([rows[0], {**rows[1], "org_id": "other"}, rows[2]]) == {"a": None, "old/a": None, "b": None}


@pytest.mark.parametrize("status", ["failed", "needs_ocr"])
def test_a_file_that_could_not_be_parsed_has_the_error_as_its_reason(status):
    [state] = states(row={"status": status, "error": "'a.pdf' is encrypted", "pages": None})
    assert (state.status, state.reason, state.pages) == (status, "'a.pdf' is encrypted", None)


def test_a_file_that_is_not_indexed_has_the_status_of_the_source_as_its_reason():
    [state] = states({"status": "same content as 'b.pdf'"}, {})
    assert (state.status, state.reason) == ("left_out", "same content as 'b.pdf'")


@pytest.mark.parametrize("language", [None, 7, ["de"]])
def test_a_language_that_is_no_text_is_unknown(language):
    assert states(row={"metadata_json": json.dumps({"language": language})})[0].language is None


def test_an_indexed_citation_has_no_file_and_states_so():
    [state] = states({"path": ""}, {"path": "", "pages": None})
    assert (state.path, state.status) == ("", "parsed")
    assert state.reason == "there is no file; its citation is indexed"


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (None, "no file of this id; 'kohaku fetch' gets those with a url"),
        (
            FetchEntry("failed", "the server answers 404", "u", None, "2024-05-01T00:00:00+00:00"),
            "failed at 2024-05-01T00:00:00+00:00: the server answers 404",
        ),
        (
            FetchEntry("fetched", None, "u", "5a", "2024-05-01T00:00:00+00:00"),
            "fetched at 2024-05-01T00:00:00+00:00, then removed",
        ),
    ],
)
def test_a_row_without_a_file_has_the_outcome_of_its_last_fetch_as_its_reason(entry, reason):
    [state] = states({"path": "", "status": "no file", "sha256": None}, fetched={} if entry is None else {"a": entry})
    assert (state.status, state.reason) == ("no_file", reason)


def test_skipped_entries_come_last_and_have_no_id():
    found = states(row={}, skipped={"notes.xyz": "not a document format"})
    assert found[1:] == [DocumentState("notes.xyz", None, "left_out", None, None, "not a document format")]


def test_states_are_counted_most_frequent_first_and_ties_in_order_of_occurrence():
    names = ["failed", "parsed", "pending", "parsed", "pending"]
    counted = count_states([DocumentState("", None, name, None, None, None) for name in names])
    assert list(counted.items()) == [("parsed", 2), ("pending", 2), ("failed", 1)]
    assert count_states([]) == {}
