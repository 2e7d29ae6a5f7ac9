"""Search over the vectors of a space: exact, quantised, by a graph; filters; memory that processes share."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_material import LIBRARY, documents_table, index_tables, nodes_table, word_vectors
from started_process import started_process

from kohaku_lib.errors import SettingsError, StoreError
from kohaku_lib.index import SearchFilter, open_snapshot, write_snapshot
from kohaku_lib.index.filters import allowed_nodes
from kohaku_lib.index.snapshots.snapshot_checks import seal_snapshot, sealed_meta
from kohaku_lib.index.vectors.ann import NeighbourGraph, write_graph
from kohaku_lib.index.vectors.scans import (
    FEW,
    HALF_BIAS,
    Float32Scan,
    biased_floats,
    dot_products,
    open_scan,
    quantised,
    write_scan,
)
from kohaku_lib.index.vectors.vector_search import VectorSearch
from kohaku_lib.settings import Settings, VectorsSettings
from kohaku_lib.storage.matrix_files import BLOCK_ROWS, map_matrix, write_matrix

DIM = 48


def unit(count, seed=0, dim=DIM):
    vectors = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def searcher(folder, vectors, precision="float32", norm_ok=None):
    write_scan(folder, "main", vectors, precision)
    ok = np.ones(len(vectors), bool) if norm_ok is None else norm_ok
    return VectorSearch(vectors, open_scan(folder, "main", vectors, precision), {}, ok)


def exact(vectors, queries, k):
    return np.argsort(-(queries.astype(np.float64) @ vectors.T.astype(np.float64)), axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("precision", ["float32", "float16", "int8"])
@pytest.mark.parametrize("count", [1, FEW + 1, 40])
def test_every_precision_finds_the_nearest_and_scores_them_exactly(precision, count, tmp_path):
    vectors, queries = unit(3000), unit(count, 1)
    found = searcher(tmp_path, vectors, precision).top(queries, 10, range(3000), rescore=4)
    assert np.array_equal(found.rows, exact(vectors, queries, 10))
    for query, rows, scores in zip(queries, found.rows, found.scores, strict=True):
        assert np.array_equal(scores, dot_products(vectors[rows], query[None])[0])


@pytest.mark.parametrize("precision", ["float32", "float16", "int8"])
def test_a_query_has_the_same_scores_alone_and_in_a_batch_and_twins_stand_by_row(precision, tmp_path):
    vectors = np.repeat(unit(500), 4, axis=0)  # every vector four times
    search = searcher(tmp_path, vectors, precision)
    queries = unit(300, 2)
    together = search.top(queries, 12, range(2000), rescore=3)
    for at in (0, 7, 299):
        alone = search.top(queries[at : at + 1], 12, range(2000), rescore=3)
        assert np.array_equal(alone.scores[0], together.scores[at])
        assert np.array_equal(alone.rows[0], together.rows[at])
        assert together.rows[at].reshape(3, 4).tolist() == [
            [4 * r, 4 * r + 1, 4 * r + 2, 4 * r + 3] for r in together.rows[at][::4] // 4
        ]


@pytest.mark.parametrize("precision", ["float32", "float16", "int8"])
def test_neither_zero_vectors_nor_filtered_rows_are_ever_returned(precision, tmp_path):
    vectors = unit(900)
    vectors[::3] = 0.0
    norm_ok = vectors.any(axis=1)
    search = searcher(tmp_path, vectors, precision, norm_ok)
    allowed = np.arange(900) % 2 == 0
    for queries in (unit(1, 3), unit(9, 3)):
        found = search.top(-queries, 900, range(900), rescore=2).rows
        assert all(set(own[own >= 0].tolist()) == set(np.flatnonzero(norm_ok).tolist()) for own in found)
        filtered = search.top(queries, 5, range(900), allowed=allowed, rescore=2).rows
        assert all(norm_ok[own].all() and allowed[own].all() and (own >= 0).all() for own in filtered)
        best = [own[(allowed & norm_ok)[own]][:5] for own in exact(vectors, queries, 900)]
        assert np.array_equal(filtered, best)


@given(st.integers(1, 60), st.integers(1, 9), st.floats(1e-3, 1e3))
def test_codes_times_scale_are_within_half_a_step(rows, dim, size):
    vectors = np.random.default_rng(rows).normal(scale=size, size=(rows, dim)).astype(np.float32)
    codes, scales = quantised(vectors)
    assert np.abs(codes.astype(int)).max(axis=1).tolist() == [127] * rows
    assert (np.abs(codes * scales[:, None] - vectors) <= scales[:, None] * 0.5001).all()


def test_halves_become_floats_bit_by_bit():
    numbers = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = numbers[np.isfinite(numbers)][None]  # all there are, subnormal ones included
    assert np.array_equal(biased_floats(finite) * HALF_BIAS, finite.astype(np.float32))


@given(st.integers(1, 6), st.integers(1, 1100))
@settings(max_examples=15)
def test_dot_products_are_those_of_einsum(queries, rows):
    left, right = unit(rows, 1, 7), unit(queries, 2, 7)
    assert dot_products(left, right) == pytest.approx(np.einsum("md,nd->mn", right, left), abs=1e-6)


def test_a_matrix_is_written_in_blocks_and_mapped(tmp_path):
    count, asked = BLOCK_ROWS + 3, []
    matrix = np.arange(count * 2, dtype=np.float32).reshape(count, 2)

    def rows(low, high):
        asked.append((low, high))
        return matrix[low:high]

    write_matrix(tmp_path / "m.npy", matrix.shape, np.float32, rows)
    assert asked == [(0, BLOCK_ROWS), (BLOCK_ROWS, count)]
    mapped = map_matrix(tmp_path / "m.npy")
    assert isinstance(mapped.base, np.memmap)
    assert np.array_equal(mapped, matrix)
    mapped[0, 0] = 99.0  # a private page: the file stays as it is
    assert map_matrix(tmp_path / "m.npy")[0, 0] == 0.0


def test_a_damaged_matrix_is_an_error_that_names_the_remedy(tmp_path):
    (tmp_path / "m.npy").write_bytes(b"no matrix" * 1000)
    with pytest.raises(StoreError, match="kohaku doctor"):
        map_matrix(tmp_path / "m.npy")


@pytest.mark.parametrize("precision", ["float16", "int8"])
def test_a_snapshot_keeps_the_precision_it_was_written_with(precision, tmp_path):
    write_snapshot(tmp_path, "v1", index_tables(), Settings(vectors=VectorsSettings(precision=precision)))
    snapshot = open_snapshot(tmp_path, "v1")
    assert snapshot.meta["vectors"] == {"precision": precision, "ann": "off"}
    found = snapshot.search.top(word_vectors(["kitten milk"]), 1, range(snapshot.sentences), rescore=4)
    assert snapshot.column("node_id", snapshot.search_rows[found.rows[0]]) == ["cats:sec1:p2:s1"]
    assert found.scores[0, 0] == pytest.approx(1.0, abs=1e-6)


def test_a_graph_finds_most_of_the_nearest_and_tells_its_recall(tmp_path):
    pytest.importorskip("usearch", reason="the [ann] extra is not installed")
    vectors, rows = unit(1500), np.arange(100, 1500)
    recall = write_graph(tmp_path / "g.usearch", vectors, rows)
    assert 0.9 < recall <= 1.0
    found = NeighbourGraph(tmp_path / "g.usearch").nearest(unit(20, 5), 10)
    truth = exact(vectors[100:], unit(20, 5), 10) + 100
    assert np.mean([len(set(a) & set(b)) for a, b in zip(found.rows.tolist(), truth.tolist(), strict=True)]) > 8.5
    assert found.rows.min() >= 100
    search = VectorSearch(
        vectors, Float32Scan(vectors), {range(1500): NeighbourGraph(tmp_path / "g.usearch")}, np.ones(1500, bool)
    )
    rescored = search.top(unit(3, 5), 10, range(1500), rescore=4)
    assert np.array_equal(rescored.scores[0], dot_products(vectors[rescored.rows[0]], unit(3, 5)[:1])[0])
    allowed = np.arange(1500) < 100  # rows that the graph does not know: a filter scans
    assert search.top(unit(1, 5), 4, range(1500), allowed=allowed).rows.max() < 100


def test_an_index_with_a_graph_reports_its_recall_and_is_searched(tmp_path):
    pytest.importorskip("usearch", reason="the [ann] extra is not installed")
    tree = {f"d{n}": [[[f"Cats sleep {n} hours.", f"Dogs bark {n} times.", "Nothing."]]] for n in range(12)}
    _, report = write_snapshot(tmp_path, "v1", index_tables(tree), Settings(vectors=VectorsSettings(ann="usearch")))
    assert set(report.metrics) == {"ann_recall_at_10_sentence", "ann_recall_at_10_paragraph"}
    assert all(0.0 <= recall <= 1.0 for recall in report.metrics.values())
    snapshot = open_snapshot(tmp_path, "v1")
    assert snapshot.meta["ann_recall_at_10_sentence"] == report.metrics["ann_recall_at_10_sentence"]
    found = snapshot.search.top(word_vectors(["bark"]), 3, range(snapshot.sentences), rescore=4)
    assert all("bark" in snapshot.text(int(row)) for row in snapshot.search_rows[found.rows[0]])
    assert snapshot.search.top(word_vectors(["bark"]), 500, range(snapshot.sentences)).rows.max() < snapshot.sentences


def test_filters_ask_for_tenant_kind_document_collection_and_folder():
    nodes, documents = nodes_table(LIBRARY), documents_table(LIBRARY)
    paths = documents.column("document_id").to_pylist()
    rows = [row | {"path": f"pets/{row['document_id']}/a.md"} for row in documents.to_pylist()]
    rows[0]["metadata_json"] = '{"collection": "felines"}'
    documents = documents.from_pylist(rows, schema=documents.schema)

    def ids(**where):
        mask = allowed_nodes(SearchFilter(**where), nodes, documents)
        return (
            set(nodes.column("node_id").to_pylist()) if mask is None else set(nodes.filter(mask)["node_id"].to_pylist())
        )

    everything, cats = ids(), {node for node in ids() if node.startswith("cats")}
    assert paths == ["cats", "dogs"]
    assert ids(org_id="default") == everything
    assert ids(org_id="other") == set()
    assert ids(documents=("cats",)) == ids(collections=("felines",)) == ids(folders=("pets/cats",)) == cats
    assert ids(folders=("pets",)) == ids(folders=(".",)) == ids(folders=("pets/",)) == everything
    assert ids(folders=("pet",)) == set()
    assert ids(documents=("cats",), kinds=("document",)) == {"cats"}
    assert ids(documents=("cats",), folders=("pets/dogs",)) == set()
    assert allowed_nodes(SearchFilter(org_id="default"), nodes, documents) is None


READER = """
import sys
from pathlib import Path
import numpy as np
from kohaku_lib.index import open_snapshot
def of_the_map(kind):
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    assert any(line.endswith("vectors.main.npy") for line in lines)
    return next(int(line.split()[1]) for line in lines if line.startswith(kind + ":"))
snapshot = open_snapshot(Path(sys.argv[1]), "v1")
snapshot.vectors().sum()
print("read", flush=True)
sys.stdin.readline()
print(of_the_map("Rss"), of_the_map("Pss"), of_the_map("Private_Dirty"), flush=True)
sys.stdin.readline()
"""


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="needs Linux's accounts of shared memory")
def test_two_processes_share_the_pages_of_the_vectors(tmp_path):
    write_snapshot(tmp_path, "v1", index_tables(), Settings())
    vectors = np.ones((40_000, 256), np.float32)  # 41 MB
    np.save(tmp_path / "v1" / "vectors.main.npy", vectors)
    seal_snapshot(tmp_path / "v1", sealed_meta(tmp_path / "v1"))
    command = [sys.executable, "-c", READER, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with started_process(command, **pipes) as one, started_process(command, **pipes) as other:
        for process in (one, other):
            assert process.stdout.readline() == "read\n"
        for process in (one, other):
            process.stdin.write("\n")
            process.stdin.flush()
            resident, proportional, private = map(int, process.stdout.readline().split())
            assert resident > 40_000
            assert proportional < 0.6 * resident  # each counts half of what both look at
            assert private == 0


def test_a_graph_without_the_extra_is_an_error_that_names_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    with pytest.raises(SettingsError, match=r"needs usearch; run .* 'usearch>="):
        write_snapshot(tmp_path, "v1", index_tables(), Settings(vectors=VectorsSettings(ann="usearch")))
    assert not (tmp_path / "v1").exists()
