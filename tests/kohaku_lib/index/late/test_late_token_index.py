"""Token vectors of a snapshot: MaxSim as its formula has it, and compressed with little loss."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from index_material import LIBRARY, NOON, index_tables

from kohaku_lib.embedding import normalized
from kohaku_lib.embedding.token_vectors import bytes_of, vectors_in
from kohaku_lib.index import open_snapshot, write_snapshot
from kohaku_lib.index.late.residuals import ResidualCodec
from kohaku_lib.settings import LateSettings, Settings
from kohaku_lib.tables import TOKEN_VECTORS

DIM = 8
TABLES = index_tables(LIBRARY)
SENTENCES = [row["node_id"] for row in TABLES.nodes.to_pylist() if row["kind"] == "sentence"]
RANDOM = np.random.default_rng(3)
# The last sentence has no token.
VECTORS = {name: normalized(RANDOM.normal(size=(1 + at % 3, DIM))) for at, name in enumerate(SENTENCES)}
VECTORS[SENTENCES[-1]] = np.zeros((0, DIM), np.float32)
QUERY = normalized(RANDOM.normal(size=(3, DIM)))


def tokens_table(vectors=VECTORS):
    codes = {name: bytes_of(own) for name, own in vectors.items()}
    columns = {"codes": [code for _, code in codes.values()], "dim": [dim for dim, _ in codes.values()]}
    return pa.table({"node_id": list(codes), **columns}, schema=TOKEN_VECTORS)


def snapshot_with(folder, compression="int8", vectors=VECTORS):
    settings = Settings(late=LateSettings(enabled=True, compression=compression))
    tables = replace(index_tables(LIBRARY, settings), tokens=tokens_table(vectors))
    write_snapshot(folder, "v1", tables, settings, now=lambda: NOON)
    return open_snapshot(folder, "v1")


def expected(snapshot, name):
    own = [vectors for sentence, vectors in VECTORS.items() if sentence == name or sentence.startswith(f"{name}:s")]
    joined = np.concatenate([np.zeros((0, DIM)), *own])
    return (QUERY @ joined.T).max(axis=1).mean() if len(joined) else -np.inf


@pytest.mark.parametrize("compression", ["int8", "residuals"])
def test_the_score_of_a_text_is_the_mean_of_the_best_cosines_with_its_tokens(tmp_path, compression):
    snapshot = snapshot_with(tmp_path, compression)
    rows = np.arange(snapshot.searched)[::-1]
    names = snapshot.column("node_id", snapshot.search_rows[rows])
    wanted = [expected(snapshot, name) for name in names]
    assert -np.inf in wanted
    tolerance = 0.02 if compression == "int8" else 0.2
    np.testing.assert_allclose(snapshot.late.scores(QUERY, rows), wanted, atol=tolerance)


def test_scores_do_not_depend_on_the_other_candidates(tmp_path):
    snapshot = snapshot_with(tmp_path)
    rows = np.arange(snapshot.searched)
    together = snapshot.late.scores(QUERY, rows)
    alone = [snapshot.late.scores(QUERY, rows[at : at + 1])[0] for at in rows]
    np.testing.assert_allclose(together, alone, rtol=1e-6)


def test_a_query_without_tokens_and_no_candidates_have_no_scores(tmp_path):
    snapshot = snapshot_with(tmp_path)
    assert snapshot.late.scores(QUERY[:0], np.array([0, 1])).tolist() == [-np.inf, -np.inf]
    assert snapshot.late.scores(QUERY, np.zeros(0, np.int64)).tolist() == []


@pytest.mark.parametrize("compression", ["int8", "residuals"])
def test_an_index_of_texts_without_tokens_can_be_searched(tmp_path, compression):
    nothing = {name: np.zeros((0, DIM), np.float32) for name in SENTENCES}
    snapshot = snapshot_with(tmp_path, compression, nothing)
    assert snapshot.late.scores(QUERY, np.array([0])).tolist() == [-np.inf]


def test_an_index_without_the_engine_has_no_part_of_it(tmp_path):
    write_snapshot(tmp_path, "v1", TABLES, Settings(), now=lambda: NOON)
    snapshot = open_snapshot(tmp_path, "v1")
    assert (snapshot.late, snapshot.raptor, snapshot.lightrag) == (None, None, None)
    assert {path.name for path in snapshot.folder.iterdir()}.isdisjoint({"late", "raptor", "lightrag"})


def test_one_byte_a_dimension_keeps_the_direction():
    vectors = normalized(RANDOM.normal(size=(50, 384)))
    dim, codes = bytes_of(vectors)
    kept = vectors_in(np.frombuffer(codes, np.int8).reshape(-1, dim))
    assert (kept * vectors).sum(axis=1).min() > 0.999


def test_centroids_and_two_bits_keep_most_of_the_direction_in_a_quarter_of_the_bytes():
    centres = RANDOM.normal(size=(20, 384))
    vectors = normalized(centres[RANDOM.integers(0, 20, 600)] + 0.3 * RANDOM.normal(size=(600, 384)))
    codec = ResidualCodec.fitted(vectors[:400])
    codes = codec.encode(vectors)
    assert codes.shape == (600, 98)
    assert (normalized(codec.decode(codes)) * vectors).sum(axis=1).min() > 0.95


def test_a_codec_is_read_as_it_was_written(tmp_path):
    vectors = normalized(RANDOM.normal(size=(60, 6)))
    codec = ResidualCodec.fitted(vectors)
    codec.save(tmp_path)
    read = ResidualCodec.load(tmp_path)
    np.testing.assert_array_equal(read.decode(codec.encode(vectors)), codec.decode(codec.encode(vectors)))
