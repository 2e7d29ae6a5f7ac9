import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from index_material import LIBRARY, NOON, WORDS, index_tables, nodes_table, small_snapshot, vectors_table

from kohaku_lib.errors import StoreError
from kohaku_lib.index import open_snapshot, write_snapshot
from kohaku_lib.settings import Settings
from kohaku_lib.tables import DOCUMENT_IMAGES, MENTIONS, VECTOR_TABLES


def test_the_counts_of_all_tables_and_spaces_are_returned_once(tmp_path):
    table, report = write_snapshot(tmp_path, "v1", index_tables(), Settings())
    assert table.schema == VECTOR_TABLES
    counts = dict(zip(table.column("table").to_pylist(), table.column("rows").to_pylist(), strict=True))
    assert counts == {
        "documents": 2,
        "nodes": 18,
        "node_vectors": 18,
        "vectors.main": 18,
        "image_blobs": 0,
        "lex_docs": 13,
        "lex_terms": 18,
        "lex_postings": 47,
        "entities": 0,
        "entity_aliases": 0,
        "entity_mentions": 0,
        "relations": 0,
    }
    assert (report.rows_computed, report.rows_reused) == (sum(counts.values()), 0)


def test_a_version_that_exists_is_taken_as_it_is(tmp_path):
    first, _ = write_snapshot(tmp_path, "v1", index_tables(), Settings())
    before = (tmp_path / "v1" / "index.duckdb").stat().st_mtime_ns
    again, report = write_snapshot(tmp_path, "v1", index_tables(), Settings())
    assert again.equals(first)
    assert report.rows_computed == 0
    assert report.rows_reused > 0
    assert (tmp_path / "v1" / "index.duckdb").stat().st_mtime_ns == before


def test_an_interrupted_write_leaves_no_version_and_is_started_anew(tmp_path):
    broken = index_tables()
    object.__setattr__(broken, "mentions", None)
    with pytest.raises(AttributeError, match="NoneType"):
        write_snapshot(tmp_path, "v1", broken, Settings())
    assert not (tmp_path / "v1").exists()
    assert (tmp_path / ".partial-v1").exists()
    write_snapshot(tmp_path, "v1", index_tables(), Settings())
    assert not (tmp_path / ".partial-v1").exists()
    assert open_snapshot(tmp_path, "v1").searched == 13


@pytest.mark.parametrize("version", ["", "../x", "a/b", ".hidden", "current", "x" * 200])
def test_a_version_that_is_no_plain_name_is_refused(tmp_path, version):
    with pytest.raises(StoreError, match="an index version is a name"):
        write_snapshot(tmp_path, version, index_tables(), Settings())
    assert list(tmp_path.iterdir()) == []


def test_searchable_sentences_then_paragraphs_lead_the_main_space(tmp_path):
    snapshot = small_snapshot(tmp_path)
    ids = snapshot.space_rows("main").column("node_id").to_pylist()
    assert (snapshot.sentences, snapshot.searched) == (8, 13)
    assert ids[:2] == ["cats:sec1:p1:s1", "cats:sec1:p1:s2"]
    assert ids[8:13] == ["cats:sec1:p1", "cats:sec1:p2", "cats:sec2:p1", "dogs:sec1:p1", "dogs:sec1:p2"]
    assert sorted(ids[13:]) == ["cats", "cats:sec1", "cats:sec2", "dogs", "dogs:sec1"]
    assert snapshot.column("node_id", snapshot.search_rows) == ids[:13]


def test_vectors_are_mapped_and_belong_to_their_nodes(tmp_path):
    snapshot = small_snapshot(tmp_path)
    vectors = snapshot.vectors()
    assert vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    before = (tmp_path / "v1" / "vectors.main.npy").read_bytes()
    vectors[0, 0] = vectors[0, 0]  # the map is a private one: even a writer could not reach the file
    assert (tmp_path / "v1" / "vectors.main.npy").read_bytes() == before
    milk = [snapshot.space_rows("main").column("node_id").to_pylist().index("cats:sec1:p2:s1")]
    expected = np.zeros(len(WORDS))
    expected[[WORDS.index("kitten"), WORDS.index("milk")]] = 0.5**0.5
    assert vectors[milk[0]] == pytest.approx(expected, abs=1e-6)


def test_a_searchable_node_without_a_vector_is_reported_and_marked(tmp_path):
    tables = index_tables()
    vectors = tables.node_vectors.slice(0, 17)
    missing = tables.node_vectors.column("node_id")[17].as_py()
    snapshot = small_snapshot(tmp_path, node_vectors=vectors)
    rows = dict(
        zip(*(snapshot.space_rows("main").column(name).to_pylist() for name in ("node_id", "norm_ok")), strict=True)
    )
    assert [node_id for node_id, ok in rows.items() if not ok] == [missing]
    _, report = write_snapshot(tmp_path, "v2", index_tables(), Settings())
    assert report.problems == ()


def test_nodes_parents_and_children_are_found(tmp_path):
    snapshot = small_snapshot(tmp_path)
    row = snapshot.row_of("dogs:sec1:p1:s2")
    assert snapshot.text(row) == "A dog sleeps for 12 hours."
    assert snapshot.column("node_id", snapshot.parents(row, 9)) == ["dogs:sec1:p1", "dogs:sec1", "dogs"]
    assert snapshot.parents(row, 1) == [snapshot.row_of("dogs:sec1:p1")]
    assert snapshot.column("node_id", snapshot.children(snapshot.row_of("cats"))) == ["cats:sec1", "cats:sec2"]
    assert snapshot.children(row) == []
    assert [node["page"] for node in snapshot.get_nodes(["cats:sec2:p1", "cats:sec1:p1"])] == [2, 1]
    with pytest.raises(KeyError, match="nobody"):
        snapshot.get_nodes(["nobody"])


def test_the_rows_of_a_search_know_documents_and_parents(tmp_path):
    snapshot = small_snapshot(tmp_path)
    documents = snapshot.search_documents
    assert [len(np.unique(documents[:4])), len(np.unique(documents))] == [1, 2]
    assert snapshot.search_parents.tolist() == [8, 8, 9, 10, 11, 11, 12, 12, -1, -1, -1, -1, -1]
    assert snapshot.document_titles == {"cats": "Cats", "dogs": "Dogs"}


def test_everything_can_be_asked_in_sql(tmp_path):
    images = _one_image()
    mentions = _two_mentions()
    snapshot = small_snapshot(tmp_path, images=images, mentions=mentions)
    with snapshot.connect() as connection:
        assert _all(connection, "SELECT df FROM lex_terms WHERE term = 'cat'") == [(5,)]
        tf = "SELECT tf FROM lex_postings JOIN lex_terms USING (term_id) WHERE term = 'shoe' AND node_id = 'dogs:sec1:p2'"
        assert _all(connection, tf) == [(2,)]
        assert _all(connection, "SELECT len FROM lex_docs WHERE node_id = 'cats:sec1:p2'") == [(3,)]
        assert _all(connection, "SELECT storage_key, octet_length(bytes) FROM image_blobs") == [("img:cats:p1:i1", 3)]
        assert _all(connection, "SELECT name, mentions, org_id, first_document_id FROM entities") == [
            ("15 hours", 2, "default", "cats")
        ]
        assert _all(connection, "SELECT parent_node_id FROM entity_mentions ORDER BY mention_id LIMIT 1") == [
            ("cats:sec1:p1",)
        ]
        meta = dict(_all(connection, "SELECT key, value FROM index_meta"))
    assert json.loads(meta["dim"]) == len(WORDS)
    assert json.loads(meta["lexical"]) == {"k1": 0.9, "b": 0.4, "stemmer": "auto"}
    assert json.loads(meta["built_at"]) == NOON.isoformat(timespec="microseconds")
    assert snapshot.meta == {key: json.loads(value) for key, value in meta.items()}


def test_direct_paragraph_vectors_have_a_space_of_their_own(tmp_path):
    nodes = nodes_table(LIBRARY)
    full = vectors_table(nodes.filter(pa.compute.equal(nodes.column("kind"), "paragraph")))
    snapshot = small_snapshot(tmp_path, paragraph_vectors=full)
    assert snapshot.vectors("para_full").shape == (5, len(WORDS))
    rows = snapshot.space_rows("para_full").column("node_row").to_numpy()
    assert snapshot.column("kind", rows) == ["paragraph"] * 5
    assert snapshot.vectors("image").shape == (0, len(WORDS))


def test_vectors_of_images_have_a_space_of_their_own(tmp_path):
    vectors = vectors_table(pa.table({"node_id": ["img:cats:p1:i1"], "text": ["a cat"]}))
    snapshot = small_snapshot(tmp_path, images=_one_image(), image_vectors=vectors)
    assert snapshot.space_rows("image").column("node_id").to_pylist() == ["img:cats:p1:i1"]
    assert snapshot.vectors("image").tolist() == vectors["vector"].to_pylist()
    assert "img:cats:p1:i1" not in snapshot.space_rows("main").column("node_id").to_pylist()


def test_a_missing_version_is_an_error_that_says_how_to_build_one(tmp_path):
    with pytest.raises(StoreError, match=r"no index 'v9' .*'kohaku refresh vector_tables'"):
        open_snapshot(tmp_path, "v9")


def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


CHANGES = {"emptied": lambda content: b"", "cut": lambda content: content[:-1], "flipped": flipped, "removed": None}


def ask_everything(folder):
    snapshot = open_snapshot(folder, "v1")
    snapshot.connect().close()
    for space in ("main", "para_full", "image"):
        _ = snapshot.space_rows(space), snapshot.vectors(space)
    return snapshot.search, snapshot.lexical, snapshot.graph


@pytest.mark.parametrize("kind", CHANGES)
def test_any_damaged_file_of_a_version_is_an_error_that_names_it_and_the_remedy(tmp_path, kind):
    small_snapshot(tmp_path, mentions=_two_mentions())
    files = sorted(path for path in (tmp_path / "v1").rglob("*") if path.is_file())
    assert len(files) == 32
    caches = [tmp_path / "v1" / f"vectors.{space}.npy" for space in ("main", "para_full", "image")]
    for path in sorted(set(files) - set(caches)):
        content = path.read_bytes()
        path.unlink()
        if CHANGES[kind]:
            path.write_bytes(CHANGES[kind](content))
        with pytest.raises(StoreError, match=rf"the index 'v1' is damaged: '{path}' .*; run 'kohaku doctor'$"):
            ask_everything(tmp_path)
        path.write_bytes(content)
    ask_everything(tmp_path)


def test_what_is_sound_of_a_damaged_version_serves(tmp_path):
    small_snapshot(tmp_path)
    for name in ("vectors.main.npy", "index.duckdb"):
        (tmp_path / "v1" / name).write_bytes(b"")
    snapshot = open_snapshot(tmp_path, "v1")
    assert snapshot.lexical.scores(["milk"]).sum() > 0
    with pytest.raises(StoreError, match=r"vectors\.main\.npy"):
        snapshot.search  # noqa: B018


def test_files_of_one_size_that_were_swapped_are_noticed(tmp_path):
    small_snapshot(tmp_path)
    sentence, paragraph = (
        tmp_path / "v1/lexical" / kind / "indptr.csc.index.npy" for kind in ("sentence", "paragraph")
    )
    assert sentence.stat().st_size == paragraph.stat().st_size
    aside = sentence.rename(tmp_path / "aside")
    paragraph.rename(sentence)
    aside.rename(paragraph)
    with pytest.raises(StoreError, match="has changed since it was written"):
        ask_everything(tmp_path)


def test_writing_a_version_that_is_damaged_replaces_it(tmp_path):
    first = small_snapshot(tmp_path)
    (tmp_path / "v1" / "index.duckdb").write_bytes(b"")
    again = small_snapshot(tmp_path)
    assert again.meta["counts"] == first.meta["counts"]
    assert (tmp_path / "v1" / "index.duckdb").stat().st_size > 0


def test_a_snapshot_is_read_only(tmp_path):
    with small_snapshot(tmp_path).connect() as connection, pytest.raises(duckdb.Error, match="read-only"):
        connection.execute("DELETE FROM nodes")


def test_many_threads_read_one_snapshot(tmp_path):
    snapshot = small_snapshot(tmp_path)

    def look(_):
        row = snapshot.row_of("cats:sec2:p1:s1")
        return snapshot.text(row), snapshot.children(snapshot.row_of("cats")), snapshot.lexical.scores(["milk"]).sum()

    with ThreadPoolExecutor(8) as pool:
        assert len({repr(found) for found in pool.map(look, range(64))}) == 1


def test_an_index_without_any_node_can_be_written_and_opened(tmp_path):
    snapshot = small_snapshot(tmp_path, {})
    assert (snapshot.searched, snapshot.nodes.num_rows) == (0, 0)
    assert snapshot.lexical.scores(["cat"]).shape == (0,)
    assert snapshot.vectors().shape == (0, len(WORDS))


def test_built_at_is_the_given_clock(tmp_path):
    moment = datetime(2024, 2, 29, tzinfo=UTC)
    write_snapshot(tmp_path, "leap", index_tables(), Settings(), now=lambda: moment, model_key="abc")
    meta = open_snapshot(tmp_path, "leap").meta
    assert (meta["built_at"], meta["model_key"]) == ("2024-02-29T00:00:00.000000+00:00", "abc")


def _all(connection, query):
    return connection.sql(query).fetchall()


def _one_image():
    row = {
        "storage_key": "img:cats:p1:i1",
        "document_id": "cats",
        "page": 1,
        "idx": 1,
        "name": "cat.webp",
        "mime": "image/webp",
        "width": 60,
        "height": 50,
        "sha256": "0",
        "bytes": b"cat",
    }
    return pa.Table.from_pylist([row], schema=DOCUMENT_IMAGES)


def _two_mentions():
    row = {
        "entity_id": "e1",
        "entity_type": "DATE",
        "name": "15 hours",
        "canonical_name": "15 hours",
        "node_id": "cats:sec1:p1:s1",
        "document_id": "cats",
        "span_text": "15 hours",
        "char_start": 15,
        "char_end": 23,
        "confidence": 0.9,
        "relations": [],
    }
    return pa.Table.from_pylist([row, row | {"char_start": 16}], schema=MENTIONS)


def test_documents_carry_the_columns_of_their_metadata(tmp_path):
    tables = index_tables()
    metadata = json.dumps({"type": "paper", "year": "2024", "citation": "A. (2024).", "url": "https://example.org/a"})
    column = pa.array([metadata] * tables.documents.num_rows)
    position = tables.documents.schema.get_field_index("metadata_json")
    documents = tables.documents.set_column(position, tables.documents.schema.field("metadata_json"), column)
    write_snapshot(tmp_path, "v1", replace(tables, documents=documents), Settings())
    with open_snapshot(tmp_path, "v1").connect() as connection:
        rows = connection.sql("SELECT DISTINCT doc_type, year, citation, source_url FROM documents").fetchall()
        keys = {key for (key,) in connection.sql("SELECT key FROM index_meta").fetchall()}
    assert rows == [("paper", "2024", "A. (2024).", "https://example.org/a")]
    assert {"tokenizer", "code_version", "config_hash", "model_key", "metric", "dim"} <= keys
