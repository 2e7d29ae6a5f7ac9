"""The mapped vectors are a copy of those in the index's database: lost or changed, they are rebuilt when it is opened."""

import logging
from concurrent.futures import ThreadPoolExecutor

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from index_material import LIBRARY, WORDS, nodes_table, small_snapshot, vectors_table, word_vectors

from kohaku_lib.errors import StoreError
from kohaku_lib.index import open_snapshot
from kohaku_lib.index.snapshots.rebuilding import rebuild_caches
from kohaku_lib.index.snapshots.snapshot_checks import cache_damage, seal_snapshot, sealed_meta, snapshot_damage
from kohaku_lib.storage import FileChecks, read_sealed, seal_of, write_sealed

QUERY = word_vectors(["kitten milk"])
SPACES = ("main", "para_full", "image")


@pytest.fixture
def written(tmp_path):
    """The folder of an index with vectors in all spaces."""
    nodes = nodes_table(LIBRARY)
    full = vectors_table(nodes.filter(pa.compute.equal(nodes.column("kind"), "paragraph")))
    images = full.slice(1, 1).set_column(0, full.schema.field(0), pa.array([["img:cats:p1:i1"]]).flatten())
    small_snapshot(tmp_path, paragraph_vectors=full, image_vectors=images)
    return tmp_path / "v1"


def matrices(folder):
    return {space: (folder / f"vectors.{space}.npy").read_bytes() for space in SPACES}


def found(folder):
    snapshot = open_snapshot(folder.parent, folder.name)
    top = snapshot.search.top(QUERY, 4, range(snapshot.searched))
    return top.rows.tolist(), top.scores.tolist()


def flipped(content):
    return content[:-1] + bytes([content[-1] ^ 1])


def in_sql(folder, query):
    with duckdb.connect(folder / "index.duckdb", read_only=True) as connection:
        return connection.sql(query).fetchall()


def test_the_database_has_every_vector_beside_text_and_metadata(written):
    assert in_sql(written, "SELECT DISTINCT typeof(vector) FROM node_vectors") == [(f"FLOAT[{len(WORDS)}]",)]
    for space in SPACES:
        rows = in_sql(written, f"SELECT row, vector FROM node_vectors WHERE space = '{space}' ORDER BY row")
        stored = np.load(written / f"vectors.{space}.npy")
        assert [row for row, _ in rows] == list(range(len(stored)))
        assert np.array_equal(np.array([vector for _, vector in rows], np.float32), stored)
    assert in_sql(written, "SELECT node_id FROM node_vectors WHERE space = 'image'") == [("img:cats:p1:i1",)]


def test_sql_over_the_database_alone_ranks_as_the_search_does(written):
    rows, scores = found(written)
    ranked = in_sql(
        written,
        f"SELECT row, 1 - array_cosine_distance(vector, {QUERY[0].tolist()}::FLOAT[{len(WORDS)}]) AS cosine "
        "FROM node_vectors JOIN nodes USING (node_id) "
        "WHERE space = 'main' AND norm_ok AND searchable AND kind IN ('sentence', 'paragraph') "
        "ORDER BY round(cosine, 6) DESC, row LIMIT 4",
    )
    assert [row for row, _ in ranked] == rows[0]
    assert [cosine for _, cosine in ranked] == pytest.approx(scores[0], abs=1e-6)


@pytest.mark.parametrize(
    "change", [None, lambda content: b"", lambda content: content[:-4], lambda content: content + b"\0", flipped]
)
def test_lost_and_changed_copies_are_rebuilt_as_they_were_and_found_the_same(written, change):
    files, before = matrices(written), found(written)
    for space, content in files.items():
        path = written / f"vectors.{space}.npy"
        path.unlink()
        if change:
            path.write_bytes(change(content))
    assert snapshot_damage(written) == {}
    assert sorted(cache_damage(written)) == sorted(f"vectors.{space}.npy" for space in SPACES)
    assert found(written) == before
    assert matrices(written) == files
    assert cache_damage(written) == {}


def test_many_openers_at_once_rebuild_a_copy_once_and_find_the_same(written, caplog):
    before = found(written)
    (written / "vectors.main.npy").unlink()
    with caplog.at_level(logging.WARNING), ThreadPoolExecutor(8) as pool:
        assert list(pool.map(found, [written] * 8)) == [before] * 8
    assert not list(written.glob(".*.tmp"))


def test_a_reader_goes_on_with_the_copy_that_it_has_mapped(written):
    snapshot = open_snapshot(written.parent, written.name)
    vectors, before = snapshot.vectors(), snapshot.vectors().copy()
    (written / "vectors.main.npy").unlink()
    assert rebuild_caches(written) == {}
    assert np.array_equal(vectors, before)


def test_what_changed_behind_sizes_and_times_is_rebuilt_where_everything_is_read(written):
    path, files = written / "vectors.main.npy", matrices(written)
    seal = seal_of(path)
    path.write_bytes(flipped(files["main"]))
    checks = FileChecks(written.parent)
    checks.note(path, seal)
    checks.save()
    assert rebuild_caches(written) == {}
    assert matrices(written) != files
    assert rebuild_caches(written, FileChecks(written.parent, afresh=True)) == {}
    assert matrices(written) == files


def test_a_copy_is_damaged_for_good_without_its_database(written):
    (written / "vectors.main.npy").write_bytes(b"")
    (written / "index.duckdb").write_bytes(b"")
    assert list(rebuild_caches(written)) == ["vectors.main.npy"]
    snapshot = open_snapshot(written.parent, written.name)
    assert snapshot.vectors("para_full").shape == (5, len(WORDS))
    with pytest.raises(StoreError, match=r"vectors\.main\.npy' has 0 bytes"):
        snapshot.vectors()


def test_a_folder_in_which_nothing_can_be_written_keeps_what_is_sound(written):
    (written / "vectors.main.npy").unlink()
    (written / "vectors.lock").mkdir()  # no lock can be had
    snapshot = open_snapshot(written.parent, written.name)
    assert snapshot.lexical.scores(["milk"]).sum() > 0
    with pytest.raises(StoreError, match=r"vectors\.main\.npy' is missing"):
        snapshot.vectors()


def test_an_index_from_before_the_database_had_vectors_opens_and_its_copies_are_no_caches(written):
    before = found(written)
    meta = read_sealed(written / "meta.json")
    files = {**meta.pop("files"), **meta.pop("caches")}
    with duckdb.connect(written / "index.duckdb") as connection:
        connection.execute("ALTER TABLE node_vectors DROP vector")
    database = seal_of(written / "index.duckdb")
    files["index.duckdb"] = [database.bytes, database.sha256]
    write_sealed(written / "meta.json", {**meta, "files": files})
    assert found(written) == before
    (written / "vectors.main.npy").unlink()
    assert snapshot_damage(written) == {"vectors.main.npy": "is missing"}
    with pytest.raises(StoreError, match=r"vectors\.main\.npy' is missing"):
        open_snapshot(written.parent, written.name).vectors()


def test_sealing_again_tells_files_and_caches_apart(written):
    meta = sealed_meta(written)
    seal_snapshot(written, meta)
    assert sealed_meta(written) == meta
    assert sorted(meta["caches"]) == sorted(f"vectors.{space}.npy" for space in SPACES)
    assert "index.duckdb" in meta["files"]
